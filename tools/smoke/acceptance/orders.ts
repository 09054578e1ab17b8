import { Lambda, waitUntilFunctionUpdatedV2 } from '@aws-sdk/client-lambda';
import type { Answer } from '../stage/http-client.ts';
import { headerOf } from '../stage/rate-limit.ts';
import { type Stage, shown } from '../stage/stage.ts';
import { addOwner, admin, type Deployed } from './trial.ts';

const lambda = new Lambda();

export const loadOwner = 'load';
export const orderCount = 100_000;
export const cancellationCount = 1_000;
const coldCount = 20;
/** Fewer than half of the 10 environments that some new accounts can run, because each request takes two. */
const atOnce = 4;

/** Imports, lists and cancels many orders. */
export async function checkOrders(trial: Deployed): Promise<void> {
  const { evidence, outputs, signal } = trial;
  const limits = ['--per-minute', '60000', '--per-day', '1000000'];
  const { stage } = await addOwner(trial, loadOwner, '--plan', 'enterprise', ...limits);
  await evidence.add('orders import', `Imported ${orderCount.toLocaleString('en')} orders`, () =>
    admin(trial, ['orders', 'import', '-'], Array.from({ length: orderCount }, orderLine)),
  );
  for (const coding of ['identity', 'gzip', 'zstd']) {
    await evidence.add(`a list as ${coding}`, `${orderCount} orders as ${coding}`, () =>
      timedList(stage, coding),
    );
  }
  await evidence.add('cancellations', `${cancellationCount} × 204`, () =>
    timedCancellations(stage, signal, () => renewEnvironments(outputs)),
  );
}

/** Changes the configuration of the functions, so that Lambda starts new environments. */
export async function renewEnvironments(outputs: Deployed['outputs']): Promise<void> {
  for (const FunctionName of [outputs.AuthorizerFunctionName, outputs.CancelOrderFunctionName]) {
    const Description = `changed at ${new Date().toISOString()}`;
    await lambda.updateFunctionConfiguration({ FunctionName, Description });
    const waiting = { client: lambda, maxWaitTime: 120, minDelay: 1 };
    await waitUntilFunctionUpdatedV2(waiting, { FunctionName });
  }
}

function orderLine(_: unknown, index: number): string {
  return `{"id":${index + 1},"petId":${index % 500},"quantity":2,"shipDate":"2027-01-04T09:30:00Z","complete":false,"status":"pending"}\n`;
}

/** Reads the whole list. @returns a text with its size and its times */
export async function timedList(stage: Stage, accepted: string): Promise<string> {
  const startedMs = performance.now();
  const answer = await stage.call('listOrders', { headers: { 'accept-encoding': accepted } });
  const wholeMs = performance.now() - startedMs;
  if (answer.status !== 200) return shown(answer);
  const coding = headerOf(answer, 'content-encoding') ?? 'identity';
  const { length } = JSON.parse(answer.text);
  return `${length} orders as ${coding}, first byte after ${ms(answer.durationMs)}, whole after ${ms(wholeMs)}`;
}

/** Cancels orders, a few at once. After `renew`, the next requests start new environments of the functions. */
export async function timedCancellations(
  stage: Stage,
  signal: AbortSignal,
  renew: () => Promise<void>,
): Promise<string> {
  const answers: Answer[] = [];
  while (answers.length < cancellationCount) {
    signal.throwIfAborted();
    if (answers.length < coldCount) await renew();
    const orderIds = Array.from({ length: atOnce }, (_, index) => answers.length + index + 1);
    const calls = orderIds.map((id) => stage.call('cancelOrder', { orderId: `${id}` }));
    answers.push(...(await Promise.all(calls)));
  }
  const cancelled = answers.filter(({ status }) => status === 204).length;
  const [cold, warm] = [answers.slice(0, coldCount), answers.slice(coldCount)].map(percentiles);
  return `${cancelled} × 204; cold ${cold}; warm ${warm}`;
}

function percentiles(answers: readonly Answer[]): string {
  const sorted = answers.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const at = (percent: number) => ms(sorted[Math.ceil((percent * sorted.length) / 100) - 1]!);
  return `p50 ${at(50)}, p90 ${at(90)}, p99 ${at(99)}`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
