/**
 * `npm run example` lists the orders of a running service. `--url` and `--key`, or else the
 * environment variables `STORE_ORDERS_URL` and `STORE_ORDERS_KEY`, give its address and the API key.
 */
import { parseArgs } from 'node:util';
import { StoreOrdersClient, StoreOrdersError } from './store-orders-client.ts';

const shownOrders = 10;
const { values } = parseArgs({ options: { url: { type: 'string' }, key: { type: 'string' } } });
const baseUrl = values.url ?? process.env.STORE_ORDERS_URL;
const apiKey = values.key ?? process.env.STORE_ORDERS_KEY;

if (!baseUrl || !apiKey)
  fail('Set STORE_ORDERS_URL and STORE_ORDERS_KEY, or give --url and --key.');
else await listOrders(baseUrl, apiKey).catch(explain);

async function listOrders(baseUrl: string, apiKey: string): Promise<void> {
  const orders = await new StoreOrdersClient({ baseUrl, apiKey }).listOrders();
  for (const { id, petId, quantity, shipDate, complete } of orders.slice(0, shownOrders)) {
    console.log(`${id}: ${quantity} × pet ${petId}, ${shipDate}${complete ? ', complete' : ''}`);
  }
  console.log(`${orders.length} orders`);
}

/** Shows an error response in one line. Any other error is thrown, to show its stack trace. */
function explain(error: unknown): void {
  if (!(error instanceof StoreOrdersError)) throw error;
  fail(`${error.status} ${error.code}: ${error.message}`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
