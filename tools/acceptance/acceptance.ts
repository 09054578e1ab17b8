import { waitUntilFunctionUpdatedV2 } from '@aws-sdk/client-lambda';
import { contractDifferences } from '../../lib/contract/contract.ts';
import { InterruptedError } from '../shared/errors.ts';
import { type Send, senderTo } from '../smoke/stage/http-client.ts';
import { headerOf } from '../smoke/stage/rate-limit.ts';
import { shown } from '../smoke/stage/stage.ts';
import { aws, emulator, lookUntil } from './aws.ts';
import { addRecords } from './aws-records.ts';
import { Differs, type Evidence } from './evidence.ts';
import { provocations, provoke } from './gateway-responses.ts';
import { createOperator } from './operator.ts';
import { runEveryCommand } from './operator-commands.ts';
import {
  cancellationCount,
  orderCount,
  orderLines,
  timedCancellations,
  timedList,
} from './orders.ts';
import { admin, deploy, destroy, type Outputs, run, type Trial } from './trial.ts';

interface Deployed {
  readonly trial: Trial;
  readonly evidence: Evidence;
  readonly outputs: Outputs;
  readonly base: URL;
  readonly send: Send;
}

const loadOwner = 'load';
const smokeOwner = 'smoke test';

/** Deploys a stage, makes every check, and destroys it, also if a check or the user ends the run. */
export async function accept(trial: Trial, evidence: Evidence): Promise<void> {
  await destroy(trial);
  try {
    let outputs: Outputs | undefined;
    const startedMs = performance.now();
    await evidence.add('cdk deploy', 'succeeds', async () => {
      outputs = await deploy(trial);
      return `succeeded in ${Math.round((performance.now() - startedMs) / 1_000)} s`;
    });
    if (outputs) await checkStage(trial, evidence, outputs);
  } finally {
    await evidence.add('cdk destroy', 'leaves at most the role with which API Gateway logs', () =>
      destroyed(trial),
    );
  }
}

async function destroyed(trial: Trial): Promise<string> {
  const remaining = await destroy(trial);
  const seen = `left ${remaining.join(', ') || 'nothing'}`;
  if (remaining.every((each) => /^AWS::(ApiGateway::Account|IAM::Role) /.test(each))) return seen;
  throw new Differs(seen);
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
  for (const type of Object.keys(provocations)) {
    trial.signal.throwIfAborted();
    await evidence.add(`gateway response ${type}`, 'is that of openapi.yaml', () =>
      provoke(type, deployed, apiKey),
    );
  }
  await addRecords(deployed, loadOwner);
}

async function checkOperator({ trial, evidence }: Deployed): Promise<void> {
  await evidence.add('a role with operator-policy.json', 'can be created', async () => {
    trial.operator = await createOperator(trial);
    // IAM applies a policy some seconds later.
    const list = () => admin(trial, ['owners', 'list']).catch(() => undefined);
    await lookUntil(list, (seen) => seen !== undefined, trial.signal);
    return 'was created and assumed';
  });
  const whose = trial.operator ? 'as this role' : 'with the rights of the caller';
  await evidence.add("all operator's commands as this role", 'succeed', async () => {
    const count = await runEveryCommand((words, input) => admin(trial, words, input));
    if (trial.operator) return `${count} succeeded ${whose}`;
    throw new Error(`${count} succeeded ${whose}`);
  });
  await evidence.add('`admin tables` as this role', 'is denied', async () => {
    const words = ['tables', 'restore', 'orders', '--json'];
    const refusal = await admin(trial, words).catch(unlessInterrupted);
    if (refusal.includes('"accessDenied"')) return 'accessDenied';
    throw new Differs(refusal);
  });
}

async function checkContract({ trial, evidence, base, send }: Deployed): Promise<void> {
  await admin(trial, ['owners', 'create', smokeOwner, '--plan', 'pro']);
  const { apiKey, keyId } = await issueKey(trial, smokeOwner);
  await evidence.add('npm run smoke -- --limits', '0 failed', async () => {
    const words = ['tools/smoke/main.ts', '--url', base.href, '--limits'];
    const environment = { STORE_ORDERS_KEY: '' };
    const options = { environment, input: [apiKey], signal: trial.signal };
    const output = await run(words, options).catch((error: Error) => {
      throw new Differs(unlessInterrupted(error));
    });
    return output.trim().split('\n').at(-1)!;
  });
  const renamed = 'x-amzn-remapped-www-authenticate';
  await evidence.add('a cancellation with a read-only key', `403, with ${renamed}`, async () => {
    const { apiKey: readOnly } = await issueKey(trial, smokeOwner, '--read-only');
    const headers = { authorization: `Bearer ${readOnly}` };
    const answer = await send({ method: 'DELETE', path: '/store/orders/-1', headers });
    const differences = contractDifferences('cancelOrder', answer);
    const seen = [shown(answer), headerOf(answer, renamed), ...differences].join('; ');
    if (answer.status === 403 && headerOf(answer, renamed) && differences.length === 0) return seen;
    throw new Differs(seen);
  });
  await evidence.add('the next request with a revoked key', '401', async () => {
    await admin(trial, ['keys', 'revoke', keyId, '--yes']);
    const headers = { authorization: `Bearer ${apiKey}` };
    const { status } = await send({ method: 'GET', path: '/pets/7', headers });
    if (status === 401) return '401';
    throw new Differs(String(status));
  });
}

async function checkOrders(deployed: Deployed, key: string): Promise<void> {
  const { trial, evidence, outputs, base, send } = deployed;
  await evidence.add('orders import', `${orderCount} orders`, async () =>
    (await admin(trial, ['orders', 'import', '-'], orderLines())).trim(),
  );
  for (const coding of ['identity', 'gzip', 'zstd']) {
    await evidence.add(`a list as ${coding}`, `${orderCount} orders`, () =>
      timedList(base, key, coding),
    );
  }
  await evidence.add(`${cancellationCount} cancellations`, 'all 204', () =>
    timedCancellations(send, key, trial.signal, () => renewEnvironments(outputs)),
  );
}

/** Changes the configuration of the functions, after which Lambda starts new environments. */
async function renewEnvironments(outputs: Outputs): Promise<void> {
  for (const FunctionName of [outputs.AuthorizerFunctionName, outputs.CancelOrderFunctionName]) {
    const Description = `changed at ${new Date().toISOString()}`;
    await aws.lambda.updateFunctionConfiguration({ FunctionName, Description });
    const waiting = { client: aws.lambda, maxWaitTime: 120, minDelay: 1 };
    await waitUntilFunctionUpdatedV2(waiting, { FunctionName });
  }
}

function unlessInterrupted(error: Error): string {
  if (error instanceof InterruptedError) throw error;
  return error.message;
}

async function issueKey(
  trial: Trial,
  owner: string,
  ...options: string[]
): Promise<{ apiKey: string; keyId: string }> {
  return JSON.parse(await admin(trial, ['keys', 'issue', '--owner', owner, '--json', ...options]));
}
