import { asOption, type Verb } from '../console/verb.ts';
import { changeOrders } from './change-orders.ts';

export const cancel: Verb = {
  usage: 'cancel <orderIds...>',
  description: 'cancel pending orders',
  options: [asOption],
  help: `If an order has shipped or is in an unknown state, the command does not cancel this order, and ends with exit code 1.`,
  examples: ['orders cancel 1001 1002 --stage prod'],
  run: (call, ...ids) => changeOrders('cancel', ids, call),
};
