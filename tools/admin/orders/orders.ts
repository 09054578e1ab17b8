import type { Group } from '../console/verb.ts';
import { cancel } from './cancel.ts';
import { importOrders } from './import.ts';
import { reopen } from './reopen.ts';
import { ship } from './ship.ts';
import { show } from './show.ts';

const listsAndMassChanges =
  'GET /store/orders lists all orders; DynamoDB has exports, backups and mass changes (docs/operating.md, "Orders")';

/** The commands about orders. */
export const orders: Group = {
  name: 'orders',
  description: 'import, show and change orders',
  verbs: [importOrders, show, ship, cancel, reopen],
  otherWords: {
    import: 'create add new load',
    show: 'get check',
    reopen: 'uncancel restore',
    [listsAndMassChanges]: 'list export delete update',
  },
};
