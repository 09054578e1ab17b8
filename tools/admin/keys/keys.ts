import type { Group } from '../console/verb.ts';
import { expire } from './expire.ts';
import { issue } from './issue.ts';
import { list } from './list.ts';
import { revoke } from './revoke.ts';
import { rotate } from './rotate.ts';
import { show } from './show.ts';
import { unban } from './unban.ts';

/** The commands about API keys. */
export const keys: Group = {
  name: 'keys',
  description: 'issue, show and revoke API keys',
  verbs: [issue, list, show, rotate, expire, revoke, unban],
  otherWords: {
    issue: 'create add new',
    show: 'get whois',
    revoke: 'delete remove disable',
    rotate: 'renew replace',
  },
};
