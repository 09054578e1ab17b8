import type { Item } from '../../../lambdas/contract/item.ts';
import { orderToJson } from '../../../lambdas/orders/order-json.ts';

/** The usual way to do the work of `lambdas/orders/order-copier.ts`. The result has the same form. */
export function copyOrders(chunks: Buffer[]) {
  const { Items, ...rest } = JSON.parse(Buffer.concat(chunks).toString()) as { Items: Item[] };
  const orders = Items.map((item) => `,${orderToJson(item)}`).join('');
  return {
    orders: Buffer.from(orders),
    itemCount: Items.length,
    unlistedIds: [],
    rest: Buffer.from(JSON.stringify(rest)),
  };
}
