import type { FunctionVariable } from '../../lambdas/contract/variables.ts';
import { plans } from './plans.ts';
import type { StageSettings } from './stages.ts';

/** A function's variables, each with its value at a stage. */
export type FunctionVariables = Partial<
  Readonly<Record<FunctionVariable, (settings: StageSettings) => string | undefined>>
>;

/** The settings in which the functions differ. */
interface FunctionSettings {
  readonly entry: `lambdas/${string}.ts`;
  readonly description: string;
  /** The one table that the function uses. Its name is in the variable `ORDERS_TABLE` or `API_KEYS_TABLE`. */
  readonly table: 'orders' | 'apiKeys';
  /** The actions on this table that the function's role allows. */
  readonly actions: readonly `dynamodb:${string}`[];
  /** The variables besides the stage's and the table's. A variable without a value is not set. */
  readonly variables: FunctionVariables;
  readonly functionTimeoutMs: number;
  /** The memory in MB, to which Lambda allots CPU in proportion. @default 512 */
  readonly memoryMb?: number;
  /** The number of executions that are reserved for the function, which is also its maximum. @default - none */
  readonly concurrency?: (settings: StageSettings) => number | undefined;
}

/** The version of the contract, with which the path of every operation begins. */
export const versionPath = '/v1';

/** A function that answers an operation of the contract, which has the same name. */
export interface OperationSettings extends FunctionSettings {
  readonly method: 'GET' | 'DELETE' | 'PATCH' | 'POST' | 'PUT';
  /** The path below `versionPath`, as in `openapi.yaml`. */
  readonly path: `/${string}`;
  /** Whether its response is streamed, for as long as somebody reads it. @default false */
  readonly isStreamed?: boolean;
}

const authorizer = {
  entry: 'lambdas/authorizer.ts',
  description: 'Recognises an API key and counts the request against its limits',
  table: 'apiKeys',
  actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
  variables: {
    API_KEY_PREFIX: ({ apiKeyPrefix }) => apiKeyPrefix,
    PLANS: () => JSON.stringify(plans),
  },
  functionTimeoutMs: 5_000,
} as const satisfies FunctionSettings;

/**
 * API Gateway waits longer than a function's timeout, by this margin. The timeout does not include a cold start, so
 * without the margin API Gateway could give up before the function answers 504.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export const integrationMarginMs = 5_000;

const operationVariables: FunctionVariables = { CORS_ORIGIN: ({ corsOrigin }) => corsOrigin };

/**
 * The stack, the API and the bundles derive from these entries. CONTRIBUTING.md lists what else a new operation needs.
 */
export const operations = {
  listOrders: {
    entry: 'lambdas/list-orders.ts',
    description: 'listOrders: streams all orders as one JSON array',
    method: 'GET',
    path: '/store/orders',
    table: 'orders',
    actions: ['dynamodb:Scan'],
    variables: operationVariables,
    // The slowest client that is not cut off reads 68 MB in this time, which is a list of 700,000 orders.
    functionTimeoutMs: 300_000,
    // With 1,769 MB, Lambda allots one whole CPU. This function needs it, because it mostly computes.
    memoryMb: 1_769,
    concurrency: listConcurrency,
    isStreamed: true,
  },
  cancelOrder: {
    entry: 'lambdas/cancel-order.ts',
    description: 'cancelOrder: cancels one pending order',
    method: 'DELETE',
    path: '/store/orders/{orderId}',
    table: 'orders',
    actions: ['dynamodb:UpdateItem'],
    variables: operationVariables,
    functionTimeoutMs: 10_000,
  },
} as const satisfies Readonly<Record<string, OperationSettings>>;

export type OperationName = keyof typeof operations;
export type FunctionName = OperationName | 'authorizer';

export const operationNames = Object.keys(operations) as readonly OperationName[];
export const functionNames: readonly FunctionName[] = ['authorizer', ...operationNames];

export function functionSettings(name: FunctionName): FunctionSettings {
  return name === 'authorizer' ? authorizer : operations[name];
}

/** A record with a value for each function. */
export function recordByFunction<T>(value: (name: FunctionName) => T): Record<FunctionName, T> {
  const entries = functionNames.map((name) => [name, value(name)]);
  return Object.fromEntries(entries) as Record<FunctionName, T>;
}

/** The source file of each function's handler. */
export const handlerEntries = recordByFunction((name) => functionSettings(name).entry);

/**
 * The executions that must remain for functions without a reservation. Lambda refuses a reservation that leaves fewer.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export const leastUnreserved = 100;

/**
 * The number of lists that may run at the same time: half of the account's quota, so that the other half is left for
 * the authorizer and for cancellations. Undefined if the quota is unknown, or too small to reserve half of it.
 */
export function listConcurrency({
  lambdaConcurrency,
}: Pick<StageSettings, 'lambdaConcurrency'>): number | undefined {
  if (lambdaConcurrency === undefined) return undefined;
  const half = Math.floor(lambdaConcurrency / 2);
  return lambdaConcurrency - half >= leastUnreserved ? half : undefined;
}
