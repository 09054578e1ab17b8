import { serviceTitle } from '../../lambdas/contract/service-name.ts';
import { printable } from '../shared/printable.ts';
import type { AnsweredRequest } from './aws/serve.ts';
import { firstId } from './demo-orders.ts';
import type { ReadyService } from './store-service.ts';

/** Prints on standard error. */
export function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The output for a program. AWS clients on this machine reach the tables at the service's own origin. */
export function readyJson(service: ReadyService): string {
  const { baseUrl, stage, demoKeys: keys, origin: dynamodbEndpoint, outputs } = service;
  const tables = { orders: outputs.OrdersTableName, apiKeys: outputs.ApiKeysTableName };
  return `${JSON.stringify({ baseUrl, stage, keys, dynamodbEndpoint, tables })}\n`;
}

/** The output for a person, in 80 columns. The page has the keys of the other plans. */
export function readyText({ origin, baseUrl, demoKeys }: ReadyService): string {
  // The key comes from a pipe, because other users of a machine can read the words of a command.
  const withKey = 'echo "Authorization: Bearer $ORDERS_KEY" |\n    curl -sSi';
  return `
${serviceTitle} is ready: ${origin}/

Choose a key:
  export ORDERS_URL=${baseUrl}
  export ORDERS_KEY=${demoKeys.free}

List the orders, and show the first few:
  ${withKey} -H @- "$ORDERS_URL/store/orders" | cut -c 1-600

Cancel one:
  ${withKey} -X DELETE -H @- "$ORDERS_URL/store/orders/${firstId}"

`;
}

/** The line of a request, such as `DELETE /staging/v1/store/orders/1002 409 57 ms order_already_shipped`. */
export function requestLine({ method, target, answer, durationMs }: AnsweredRequest): string {
  const { statusCode, body } = answer;
  const path = printable(target.replace(/[?#].*/s, ''));
  const parts = [method, path, statusCode, `${Math.round(durationMs)} ms`];
  if (statusCode >= 400) parts.push(parsed(String(body))?.code ?? '');
  return `${parts.join(' ').trim()}\n`;
}

/**
 * The text for a person about a line that a function or another source logged; undefined for an entry about an ordinary
 * request.
 */
export function logLine(source: string, line: string): string | undefined {
  // For example, `…-ListOrdersFunction45FE0E53` becomes `ListOrders`.
  const name = /-(\w+)Function[0-9A-F]{8}$/.exec(source)?.[1] ?? source;
  const { level, message, error } = parsed(line) ?? {};
  if (!level) return printable(`${name}: ${line}`);
  if (level !== 'ERROR' && level !== 'WARN') return undefined;
  const parts = [`${name}: ${message}`];
  for (let each = error; each; each = each.cause) parts.push(each.stack ?? String(each));
  return printable(parts.join(': '));
}

/** The JSON object in a text; undefined if it has none. */
function parsed(text: string) {
  try {
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
