import { APIGateway } from '@aws-sdk/client-api-gateway';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogs, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { Lambda, waitUntilFunctionUpdatedV2 } from '@aws-sdk/client-lambda';
import { type MetricName, metricNamespace } from '../../lambdas/domain/metric-definitions.ts';
import { contractDifferences } from '../../lib/contract/contract.ts';
import { apiGatewayKeys } from '../admin/stage/api-gateway-keys.ts';
import { InterruptedError } from '../shared/errors.ts';
import {
  type Answer,
  type OutgoingRequest,
  type Send,
  senderTo,
} from '../smoke/stage/http-client.ts';
import { shown } from '../smoke/stage/stage.ts';
import { type Evidence, emulator, lookUntil } from './evidence.ts';
import { runEveryCommand } from './operator-commands.ts';
import {
  cancellationCount,
  orderCount,
  orderLines,
  timedCancellations,
  timedList,
} from './orders.ts';
import { admin, becomeOperator, deploy, destroy, type Outputs, run, type Trial } from './trial.ts';

const gateway = new APIGateway();
const cloudWatch = new CloudWatch();
const lambda = new Lambda();
const logs = new CloudWatchLogs();

interface Deployed {
  readonly trial: Trial;
  readonly evidence: Evidence;
  readonly outputs: Outputs;
  readonly base: URL;
  readonly send: Send;
}

const loadOwner = 'load';
const smokeOwner = 'smoke test';
const refusedOwner = 'refused';
const documented = 'as documented';
type Change = () => Promise<unknown>;

/** Deploys a stage, makes every check, and destroys it, also if a check or the user ends the run. */
export async function accept(trial: Trial, evidence: Evidence): Promise<void> {
  await destroy(trial);
  try {
    let outputs: Outputs | undefined;
    const startedMs = performance.now();
    await evidence.add('cdk deploy', 'succeeded', async () => {
      outputs = await deploy(trial);
      return `succeeded in ${Math.round((performance.now() - startedMs) / 1_000)} s`;
    });
    if (outputs) await checkStage(trial, evidence, outputs);
  } finally {
    const most = 'at most the role with which API Gateway logs';
    await evidence.add('what remains in the end', most, async () => {
      const remaining = await destroy(trial);
      const isMost = remaining.every((each) => /ApiGateway::Account|CloudWatchRole/.test(each));
      return `${isMost ? most : 'more'}: ${remaining.join(', ') || 'nothing'}`;
    });
  }
}

async function checkStage(trial: Trial, evidence: Evidence, outputs: Outputs): Promise<void> {
  // ministack and LocalStack serve an API at this path.
  const path = `_aws/execute-api/${outputs.RestApiId}/${trial.stage}/v1`;
  const base = new URL(emulator ? `${emulator}/${path}` : outputs.BaseUrl);
  const deployed = { trial, evidence, outputs, base, send: senderTo(base, 60_000) };
  await checkOperator(deployed);
  await checkContract(deployed);
  const limits = ['--per-minute', '60000', '--per-day', '1000000'];
  await admin(trial, ['owners', 'create', loadOwner, '--plan', 'enterprise', ...limits]);
  const { apiKey } = await issueKey(trial, loadOwner);
  await checkOrders(deployed, apiKey);
  await checkGatewayResponses(deployed);
  await checkRecords(deployed);
}

async function checkOperator({ trial, evidence }: Deployed): Promise<void> {
  await evidence.add('a role with operator-policy.json', 'assumed', async () => {
    await becomeOperator(trial);
    return 'created and assumed';
  });
  await evidence.add("all operator's commands", 'succeeded as this role', async () => {
    const count = await runEveryCommand((words, input) => admin(trial, words, input));
    return `${count} succeeded ${trial.operator ? 'as this role' : 'with the rights of the caller'}`;
  });
  await evidence.add('`./admin tables` as this role', 'accessDenied', () =>
    admin(trial, ['tables', 'restore', 'orders', '--json']).catch(messageOf),
  );
}

async function checkContract({ trial, evidence, base, send }: Deployed): Promise<void> {
  await admin(trial, ['owners', 'create', smokeOwner, '--plan', 'pro']);
  const { apiKey, keyId } = await issueKey(trial, smokeOwner);
  await evidence.add('npm run smoke -- --limits', ', 0 failed', async () => {
    const words = ['tools/smoke/main.ts', '--url', base.href, '--limits'];
    const running = run(words, { STORE_ORDERS_KEY: '' }, [apiKey], trial.signal);
    return (await running.catch(messageOf)).split('\n').at(-1)!;
  });
  await evidence.add('a cancellation with a read-only key', documented, async () => {
    const { apiKey: readOnly } = await issueKey(trial, smokeOwner, '--read-only');
    const headers = { authorization: `Bearer ${readOnly}` };
    const answer = await send({ method: 'DELETE', path: '/store/orders/-1', headers });
    // The contract names the header, and does not require it with every 403.
    const isChallenge = answer.headers.has('x-amzn-remapped-www-authenticate');
    return isChallenge ? compared('cancelOrder', answer) : `${shown(answer)}; without challenge`;
  });
  await evidence.add('the next request with a revoked key', '401', async () => {
    await admin(trial, ['keys', 'revoke', keyId, '--yes']);
    const headers = { authorization: `Bearer ${apiKey}` };
    const { status } = await send({ method: 'GET', path: '/pets/7', headers });
    return `${status}`;
  });
}

async function checkOrders(
  { trial, evidence, outputs, send }: Deployed,
  key: string,
): Promise<void> {
  await evidence.add('orders import', `Imported ${orderCount.toLocaleString('en')} orders`, () =>
    admin(trial, ['orders', 'import', '-'], orderLines()),
  );
  for (const coding of ['identity', 'gzip', 'zstd']) {
    await evidence.add(`a list as ${coding}`, `${orderCount} orders as ${coding}`, () =>
      timedList(send, key, coding),
    );
  }
  await evidence.add('cancellations', `${cancellationCount} × 204`, () =>
    timedCancellations(send, key, trial.signal, () => renewEnvironments(outputs)),
  );
}

/** Changes the configuration of the functions, after which Lambda starts new environments. */
async function renewEnvironments(outputs: Outputs): Promise<void> {
  for (const FunctionName of [outputs.AuthorizerFunctionName, outputs.CancelOrderFunctionName]) {
    const Description = `changed at ${new Date().toISOString()}`;
    await lambda.updateFunctionConfiguration({ FunctionName, Description });
    const waiting = { client: lambda, maxWaitTime: 120, minDelay: 1 };
    await waitUntilFunctionUpdatedV2(waiting, { FunctionName });
  }
}

// Only a firewall and a function that hangs would provoke the gateway responses that are missing here and in the
// smoke test.
async function checkGatewayResponses({ trial, evidence, outputs, send }: Deployed): Promise<void> {
  const { stack, stage: stageName, signal } = trial;
  const { RestApiId: restApiId, ListOrdersFunctionName, AuthorizerFunctionName } = outputs;
  await admin(trial, ['owners', 'create', refusedOwner, '--plan', 'free']);
  const { apiKey, ownerId } = await issueKey(trial, refusedOwner);
  const { findApiKeys, findUsagePlans, deleteApiKey } = apiGatewayKeys(gateway);
  const keyId = (await findApiKeys(`${stack}-${ownerId}`))[0]!.id;
  const [usagePlanId] = await findUsagePlans({ keyId });
  const to0 = (path: string) => ({
    patchOperations: [{ op: 'replace', path, value: '0' } as const],
  });
  const pet = { method: 'GET', path: '/pets/7' };
  const list = { method: 'GET', path: '/store/orders' };
  // API Gateway accepts 10 MB: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
  const body = 'x'.repeat(11 * 1024 * 1024);
  const provocations: [type: string, request: OutgoingRequest, change?: Change, undo?: Change][] = [
    ['UNSUPPORTED_MEDIA_TYPE', { ...pet, headers: { 'content-type': 'text/html' } }],
    ['REQUEST_TOO_LARGE', { method: 'DELETE', path: '/store/orders/1', body }],
    ['INTEGRATION_FAILURE', list, ...throttling(ListOrdersFunctionName)],
    ['AUTHORIZER_FAILURE', pet, ...throttling(AuthorizerFunctionName)],
    [
      'QUOTA_EXCEEDED',
      pet,
      () => gateway.updateUsage({ usagePlanId, keyId, ...to0('/remaining') }),
    ],
    ['INVALID_API_KEY', pet, () => deleteApiKey({ apiKey: keyId })],
    [
      'THROTTLED',
      { method: 'GET', path: '/nowhere' },
      () => gateway.updateStage({ restApiId, stageName, ...to0('/*/*/throttling/burstLimit') }),
    ],
  ];
  for (const [type, request, change, undo] of provocations) {
    signal.throwIfAborted();
    const headers = { authorization: `Bearer ${apiKey}`, ...request.headers };
    const look = async () => compared(type, await send({ ...request, headers }));
    await evidence.add(`gateway response ${type}`, documented, async () => {
      try {
        await change?.();
        return await (change ? lookUntil(documented, look, signal) : look());
      } finally {
        await undo?.();
      }
    });
  }
}

function throttling(FunctionName: string): [change: Change, undo: Change] {
  return [
    () => lambda.putFunctionConcurrency({ FunctionName, ReservedConcurrentExecutions: 0 }),
    () => lambda.deleteFunctionConcurrency({ FunctionName }),
  ];
}

async function checkRecords({ trial, evidence, outputs }: Deployed): Promise<void> {
  const { stack, stage: Stage, signal } = trial;
  const ofFunction = (name: MetricName) => [metricNamespace, name] as const;
  const metrics = [
    [metricNamespace, 'ClientErrors', 1, { Stage }],
    [metricNamespace, 'ListsRefused', 1, { Stage }],
    [metricNamespace, 'AuthorizerFailures', 1, { Stage }],
    [metricNamespace, 'RequestsAdmitted', cancellationCount, { Stage }],
    [...ofFunction('RequestsRejected'), 1, { Stage, Reason: 'unauthorized' }],
    [...ofFunction('CancellationLatency'), cancellationCount, { Stage, Outcome: 'cancelled' }],
    [...ofFunction('OrdersListed'), orderCount, { Stage }],
    ['AWS/ApiGateway', 'Count', cancellationCount, { ApiName: stack, Stage }],
  ] as const;
  const add = (what: string, expected: string | number, look: () => Promise<string>) =>
    evidence.add(what, expected, () => lookUntil(expected, look, signal));
  await Promise.all([
    ...metrics.map(([namespace, name, expected, dimensions]) =>
      add(`${namespace} ${name} {${Object.keys(dimensions).join(', ')}}`, expected, () =>
        sumOf(namespace, name, dimensions),
      ),
    ),
    add('the access log of a refused list', '"429"', () =>
      lineOf(outputs.AccessLogGroupName, '{ $.integrationStatus = "429" }'),
    ),
    add('the execution log of a failed integration', 'failed', () =>
      lineOf(outputs.ExecutionLogGroupName, 'failed'),
    ),
    add('GetUsage', cancellationCount, async () => {
      const usage = await admin(trial, ['owners', 'usage', loadOwner, '--json']);
      return `${JSON.parse(usage).requests}`;
    }),
  ]);
}

/** The sum of the last hours; of API Gateway's requests and of latencies, the number. */
async function sumOf(Namespace: string, MetricName: string, dimensions: object): Promise<string> {
  const statistic = /^Count$|Latency$/.test(MetricName) ? 'SampleCount' : 'Sum';
  const { Datapoints = [] } = await cloudWatch.getMetricStatistics({
    Namespace,
    MetricName,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    StartTime: new Date(Date.now() - 2 * 3_600_000),
    EndTime: new Date(),
    Period: 60,
    Statistics: [statistic],
  });
  return `${Datapoints.reduce((sum, point) => sum + (point[statistic] ?? 0), 0)}`;
}

async function lineOf(logGroupName: string, filterPattern: string): Promise<string> {
  const search = paginateFilterLogEvents({ client: logs }, { logGroupName, filterPattern });
  for await (const { events = [] } of search) if (events[0]) return events[0].message ?? '';
  return 'no such line';
}

/** Compares an answer with the contract. @param name the id of an operation, or the type of a gateway response */
function compared(name: string, answer: Answer): string {
  return `${shown(answer)}; ${contractDifferences(name, answer).join('; ') || documented}`;
}

function messageOf(error: Error): string {
  if (error instanceof InterruptedError) throw error;
  return error.message;
}

async function issueKey(trial: Trial, owner: string, ...options: string[]) {
  const issued = await admin(trial, ['keys', 'issue', '--owner', owner, '--json', ...options]);
  return JSON.parse(issued) as { apiKey: string; keyId: string; ownerId: string };
}
