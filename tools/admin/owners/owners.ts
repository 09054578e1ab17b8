import type { Group } from '../console/verb.ts';
import { create } from './create.ts';
import { deletion } from './delete.ts';
import { history } from './history.ts';
import { list } from './list.ts';
import { rename } from './rename.ts';
import { repair } from './repair.ts';
import { resetUsage } from './reset-usage.ts';
import { resume } from './resume.ts';
import { setPlan } from './set-plan.ts';
import { show } from './show.ts';
import { suspend } from './suspend.ts';
import { usage } from './usage.ts';

/** The commands about owners. */
export const owners: Group = {
  name: 'owners',
  description: 'create, show and change owners: their plans, limits and usage',
  verbs: [
    create,
    list,
    show,
    history,
    usage,
    setPlan,
    repair,
    rename,
    suspend,
    resume,
    resetUsage,
    deletion,
  ],
  otherWords: {
    create: 'add new',
    show: 'get',
    delete: 'remove',
    'set-plan': 'upgrade plan',
    suspend: 'disable',
    resume: 'enable activate',
  },
};
