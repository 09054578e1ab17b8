import { styleText } from 'node:util';
import { serviceTitle } from '../../lambdas/contract/service-name.ts';
import type { OutputName } from '../../lib/settings/names.ts';
import { planNames } from '../../lib/settings/plans.ts';
import { printable } from '../shared/printable.ts';
import type { AnsweredRequest } from './aws/http-server.ts';
import { loopbackHost } from './aws/management/loopback.ts';
import { type DemoKeys, planTitle } from './demo-keys.ts';

/*
 * What a run prints. Red is only for problems, because other colours have little contrast on a light background.
 */

/** A service that is ready. */
export interface ReadyService {
  readonly origin: string;
  /** The URL in front of the contract's paths. */
  readonly baseUrl: string;
  readonly stage: string;
  readonly demoKeys: DemoKeys | undefined;
  /** Undefined if no order can be cancelled. */
  readonly exampleOrderId: string | undefined;
  readonly outputs: Readonly<Record<OutputName, string>>;
}

const number = new Intl.NumberFormat('en');

/** Prints on standard error. */
export function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** For a program. AWS clients on this machine reach the tables at the service's own origin. */
export function readyJson(service: ReadyService): string {
  const { baseUrl, stage, demoKeys: keys, origin, outputs } = service;
  const tables = { orders: outputs.OrdersTableName, apiKeys: outputs.ApiKeysTableName };
  const dynamodbEndpoint = servesOperators(origin) ? origin : undefined;
  return `${JSON.stringify({ baseUrl, stage, keys, dynamodbEndpoint, tables })}\n`;
}

/** For a person, in 80 columns. */
export function readyText(service: ReadyService): string {
  const { baseUrl, demoKeys, origin } = service;
  const hasPage = servesOperators(origin);
  const firstSteps = hasPage ? firstOwnerText(origin) : '';
  return `
${styleText('bold', `${serviceTitle} is ready${hasPage ? `: ${origin}/` : ''}`)}

Base URL: ${baseUrl}
${hasPage ? '' : 'The page and ./admin need --host 0.0.0.0.\n'}
${demoKeys ? demoText(demoKeys, service) : firstSteps}
`;
}

function demoText(keys: DemoKeys, { baseUrl, exampleOrderId }: ReadyService): string {
  const demoKeys = planNames.map((plan) => `  ${planTitle(plan)}\n    ${keys[plan]}`);
  // The key comes from a pipe, because other users of a machine can read the words of a command.
  const withKey = 'echo "Authorization: Bearer $ORDERS_KEY" |\n    curl -sSi';
  const cancel = `
Cancel one:
  ${withKey} -X DELETE -H @- "$ORDERS_URL/store/orders/${exampleOrderId}"`;
  return `Demo keys:
${demoKeys.join('\n')}

Choose a key:
  export ORDERS_URL=${baseUrl}
  export ORDERS_KEY=${keys.free}

List the orders, and show the first few:
  ${withKey} -H @- "$ORDERS_URL/store/orders" | cut -c 1-600
${exampleOrderId === undefined ? '' : cancel}`;
}

/** Whether the page and the operator's commands, which a network must not reach, can use the address. */
function servesOperators(origin: string): boolean {
  return loopbackHost.test(new URL(origin).host);
}

function firstOwnerText(origin: string): string {
  return `Create an owner and a key:
  ./admin owners create Acme --plan free --local ${origin}
  ./admin keys issue --owner Acme --local ${origin}`;
}

/** Such as `DELETE /v1/store/orders/1002 409 57 ms order_already_shipped`. */
export function requestLine(
  { method, target, answer, durationMs }: AnsweredRequest,
  basePath: string,
): string {
  const { statusCode, body } = answer;
  const path = printable(target.replace(/[?#].*/s, ''));
  const isInStage = path.startsWith(basePath);
  const parts = [
    method,
    isInStage ? path.slice(basePath.lastIndexOf('/')) : path,
    statusCode < 500 ? statusCode : styleText('red', `${statusCode}`),
    `${number.format(Math.round(durationMs))} ms`,
  ];
  if (statusCode >= 400 && Buffer.isBuffer(body)) parts.push(parsed(String(body))?.code);
  if (!isInStage) parts.push(`(paths begin with ${basePath})`);
  return parts.filter((part) => part !== undefined).join(' ');
}

/** What a person needs of a line that a function logged: undefined for an entry about an ordinary request. */
export function functionLine(functionName: string, line: string): string | undefined {
  // Such as `ListOrders` of `…-ListOrdersFunction45FE0E53`.
  const name = /-(\w+)Function[0-9A-F]{8}$/.exec(functionName)?.[1] ?? functionName;
  const { level, message, error } = parsed(line) ?? {};
  if (!level) return printable(`${name}: ${line}`);
  if (level !== 'ERROR' && level !== 'WARN') return undefined;
  const parts = [`${name}: ${message}`];
  for (let each = error; each; each = each.cause) parts.push(each.stack ?? String(each));
  return styleText('red', printable(parts.join(': ')), { stream: process.stderr });
}

/** The JSON object in a text; undefined if it has none. */
function parsed(text: string) {
  try {
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
