/**
 * `npm run example` lists the orders of a running service. The environment variables
 * `STORE_ORDERS_URL` and `STORE_ORDERS_KEY` give its address and the API key: other users of the
 * machine can read a command's options, and npm writes them to its log.
 */
import { StoreOrdersClient, StoreOrdersError } from './store-orders-client.ts';

const shownOrders = 10;
const { STORE_ORDERS_URL: baseUrl, STORE_ORDERS_KEY: apiKey } = process.env;

if (process.argv.length > 2) fail('This example takes no options; it reads the environment.');
else if (!baseUrl || !apiKey) fail('Set STORE_ORDERS_URL and STORE_ORDERS_KEY.');
else await listOrders(baseUrl, apiKey).catch((error) => fail(explain(error, baseUrl)));

async function listOrders(baseUrl: string, apiKey: string): Promise<void> {
  const orders = await new StoreOrdersClient({ baseUrl, apiKey }).listOrders();
  for (const { id, petId, quantity, shipDate, complete } of orders.slice(0, shownOrders)) {
    const order = `${id}: ${quantity} × pet ${petId}, ${shipDate}${complete ? ', complete' : ''}`;
    console.log(printable(order));
  }
  console.log(`${orders.length} orders`);
}

/** Describes an error in one line. `fetch` puts the reason for a failed connection into `cause`. */
function explain(error: unknown, baseUrl: string): string {
  if (error instanceof StoreOrdersError) return `${error.status} ${error.code}: ${error.message}`;
  const { message, cause } = error as Error;
  return `${baseUrl}: ${cause instanceof Error ? cause.message || String(cause) : message}`;
}

function fail(message: string): void {
  console.error(printable(message));
  process.exitCode = 1;
}

/** A text of a server could otherwise move the terminal's cursor or change what is shown. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}
