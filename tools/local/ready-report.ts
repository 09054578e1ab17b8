import { serviceTitle } from '../../lambdas/domain/service-name.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { loopbackHost } from './aws/management/loopback.ts';
import type { DemoKeys } from './demo-keys.ts';
import type { LocalOptions } from './local-options.ts';
import type { RunConsole } from './run-console.ts';
import type { StoreService } from './store-service.ts';

const number = new Intl.NumberFormat('en');

/** For a program. AWS clients on this machine reach the tables at the service's own origin. */
export function readyJson({
  baseUrl,
  stage,
  demoKeys: keys,
  origin,
  outputs,
}: StoreService): string {
  const tables = { orders: outputs.OrdersTableName, apiKeys: outputs.ApiKeysTableName };
  const dynamodbEndpoint = servesOperators(origin) ? origin : undefined;
  return `${JSON.stringify({ baseUrl, stage, keys, dynamodbEndpoint, tables })}\n`;
}

/** For a person, in 80 columns. @param exampleOrderId undefined if there are no orders */
export function readyText(
  { baseUrl, demoKeys, origin }: StoreService,
  exampleOrderId: string | undefined,
  { watch }: Pick<LocalOptions, 'watch'>,
  { paint, functionLogPath }: Pick<RunConsole, 'functionLogPath' | 'paint'>,
): string {
  const hasPage = servesOperators(origin);
  const notes = [
    ['Base URL', baseUrl],
    ['Page and ./admin', hasPage ? undefined : 'need --host 0.0.0.0'],
    ['Functions log to', functionLogPath],
    ['Reloads', watch ? 'when a source file of the service changes' : undefined],
    ['Stop it', 'Ctrl+C'],
  ].filter(([, value]) => value !== undefined);
  return `
${paint('bold', `${serviceTitle} is ready${hasPage ? `: ${origin}/` : ''}`)}

${notes.map(([name, value]) => `  ${name!.padEnd(20)}${value}`).join('\n')}
${demoKeys ? demoText(demoKeys, baseUrl, exampleOrderId) : firstOwnerText(origin)}
`;
}

function demoText(keys: DemoKeys, baseUrl: string, exampleOrderId: string | undefined): string {
  const demoKeys = planNames.map((plan) => {
    const [perMinute, perDay] = [plans[plan].perMinute, plans[plan].perDay].map(number.format);
    return `  ${plan.padEnd(10)}  ${perMinute} per minute, ${perDay} per day\n${' '.repeat(14)}${keys[plan]}`;
  });
  // The key comes from a pipe, because other users of a machine can read the words of a command.
  const withKey = 'echo "Authorization: Bearer $ORDERS_KEY" |\n    curl -sSi';
  const cancel = `
Cancel one:
  ${withKey} -X DELETE -H @- "$ORDERS_URL/store/orders/${exampleOrderId}"
`;
  return `
Demo keys:
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
  if (!servesOperators(origin)) return '';
  return `
Create an owner and a key:
  ./admin owners create Acme --plan free --local ${origin}
  ./admin keys issue --owner Acme --local ${origin}
`;
}
