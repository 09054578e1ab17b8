/**
 * Lists the orders of a running service:
 * `STORE_ORDERS_URL=http://127.0.0.1:3000/staging/v1 STORE_ORDERS_KEY=so_test_… node examples/list-orders.ts`
 */
import { StoreOrdersClient } from './store-orders-client.ts';

const { STORE_ORDERS_URL: baseUrl, STORE_ORDERS_KEY: apiKey } = process.env;
if (!baseUrl || !apiKey) throw new Error('Set STORE_ORDERS_URL and STORE_ORDERS_KEY.');

const orders = await new StoreOrdersClient({ baseUrl, apiKey }).listOrders();
for (const { id, petId, quantity, shipDate, complete } of orders.slice(0, 10)) {
  console.log(`${id}: ${quantity} × pet ${petId}, ${shipDate}${complete ? ', complete' : ''}`);
}
console.log(`${orders.length} orders`);
