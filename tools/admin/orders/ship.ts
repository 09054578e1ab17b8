import { asOption, type Verb } from '../console/verb.ts';
import { changeOrders } from './change-orders.ts';

export const ship: Verb = {
  usage: 'ship <orderIds...>',
  description: 'mark pending orders as shipped, so that nobody can cancel them',
  options: [asOption],
  help: `The orders become complete. The command also ships an order in an unknown state. If an order is cancelled, the \
command does not ship this order, and ends with exit code 1. No command makes a shipped order pending again.`,
  examples: ['orders ship 1001 1002 --stage prod'],
  run: (call, ...ids) => changeOrders('ship', ids, call),
};
