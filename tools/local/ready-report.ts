import { planNames, plans } from '../../lib/settings/plans.ts';
import { loopbackHost } from './aws/management/loopback.ts';
import type { DemoKeys } from './demo-keys.ts';
import type { LocalOptions } from './local-options.ts';
import type { RunConsole } from './run-console.ts';
import type { StoreService } from './store-service.ts';

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

/** For a person. @param exampleOrderId undefined if there are no orders */
export function readyText(
  { baseUrl, demoKeys, origin }: StoreService,
  exampleOrderId: string | undefined,
  { watch, inspect }: Pick<LocalOptions, 'inspect' | 'watch'>,
  { paint, functionLogPath }: Pick<RunConsole, 'functionLogPath' | 'paint'>,
): string {
  const page = servesOperators(origin) ? `${origin}/` : `${operatorsHost}, as does ./admin`;
  const notes = [
    ['In a browser', page],
    ['Functions log to', functionLogPath],
    ['Reloads', watch ? 'functions when a file in lambdas/ changes' : undefined],
    ['Debugger', inspect === undefined ? undefined : 'can attach; functions have no time limit'],
    ['Stop it', 'Ctrl+C'],
  ].filter(([, value]) => value !== undefined);
  return `
${paint('bold', `Store Orders is ready at ${baseUrl}`)}

${notes.map(([name, value]) => `  ${name!.padEnd(20)}${value}`).join('\n')}

${demoKeys ? demoText(demoKeys, baseUrl, exampleOrderId, paint) : firstOwnerText(origin)}
`;
}

function demoText(
  keys: DemoKeys,
  baseUrl: string,
  exampleOrderId: string | undefined,
  paint: RunConsole['paint'],
): string {
  const number = new Intl.NumberFormat('en');
  const demoKeys = planNames.map((plan) => {
    const { perMinute, perDay } = plans[plan];
    const limits = `${number.format(perMinute)} per minute, ${number.format(perDay)} per day`;
    // With its limits behind it, a key would not fit a terminal of 80 columns.
    return `  ${plan.padEnd(10)}  ${paint('dim', limits)}\n${' '.repeat(14)}${paint('cyan', keys[plan])}`;
  });
  // Other users of a machine can read the words of a command, but not what a pipe carries.
  const withKey = `echo 'Authorization: Bearer ${keys.free}' |`;
  const list = `Demo keys:
${demoKeys.join('\n')}

List the orders, and show the first few:
  ${withKey} curl -sSi -H @- ${baseUrl}/store/orders | cut -c 1-600
`;
  if (exampleOrderId === undefined) return list;
  return `${list}
Cancel one:
  ${withKey} curl -i -X DELETE -H @- ${baseUrl}/store/orders/${exampleOrderId}
`;
}

const operatorsHost = 'needs --host 0.0.0.0';

/** Whether the page and the operator's commands, which a network must not reach, can use the address. */
function servesOperators(origin: string): boolean {
  return loopbackHost.test(new URL(origin).host);
}

function firstOwnerText(origin: string): string {
  if (!servesOperators(origin)) return `Creating an owner and a key ${operatorsHost}.\n`;
  return `Create an owner and a key:
  ./admin owners create Acme --plan free --local ${origin}
  ./admin keys issue --owner Acme --local ${origin}
`;
}
