import { gunzipSync } from 'node:zlib';
import { cancelRefusal } from '../../../../lambdas/domain/order-states.ts';
import {
  functionSettings,
  integrationMarginMs,
  operations,
} from '../../../../lib/settings/functions.ts';
import { contractDifferences } from '../../../../test/contract/contract.ts';
import { splitArray } from '../../../../test/helpers/dynamodb/orders.ts';
import { type DatabaseCall, type FaultKind, timeoutDivisor } from './faulty-dynamodb.ts';
import { type ActionResult, knownOrders, lastOrder, type SeedRecord } from './seed-run.ts';

/** An allowance for a machine under load. */
const slackMs = 3_000;

/** The violations of the invariants that hold however late an answer is. */
export function violations(record: SeedRecord): string[] {
  const { results, recovery } = record;
  return [
    ...[...results, ...recovery].flatMap(answerDifferences),
    ...results.flatMap(listDifferences),
    ...results.flatMap(wrongStatus),
    ...Object.keys(knownOrders).flatMap((id) => orderDifferences(id, record)),
    ...limitDifferences(record),
  ];
}

/** The violations of the invariants that a machine under load can violate as well. */
export function timedViolations(record: SeedRecord): string[] {
  const { results, recovery } = record;
  return [
    ...[...results, ...recovery].flatMap(lateness),
    ...results.flatMap((each) => needlessFailure(each, record)),
    ...abandonedCalls(record),
    ...recoveryDifferences(record),
  ];
}

const orderIdOf = ({ action }: ActionResult) => ('orderId' in action ? action.orderId : undefined);

const operationOf = (result: ActionResult) =>
  orderIdOf(result) === undefined ? 'listOrders' : 'cancelOrder';

/** Invariant: a complete answer is documented in the contract, with all of its headers. */
function answerDifferences(result: ActionResult): string[] {
  const { action, answer } = result;
  if (!answer?.headers || !answer.isComplete) return [];
  const { status, headers, body } = answer;
  const compared = { status, headers, ...(status !== 200 && { text: body.toString() }) };
  const found = contractDifferences(operationOf(result), compared);
  return found.map((each) => `${JSON.stringify(action)} was answered ${status}: ${each}`);
}

/** Invariant: no answer takes longer than the functions' time limits. */
function lateness(result: ActionResult): string[] {
  const limitMs =
    (functionSettings('authorizer').functionTimeoutMs +
      operations[operationOf(result)].functionTimeoutMs +
      integrationMarginMs) /
    timeoutDivisor;
  const { action, answer, tookMs } = result;
  if (!answer || tookMs <= limitMs + slackMs) return [];
  return [`${JSON.stringify(action)} took ${tookMs} ms, and may take ${limitMs}`];
}

/** Invariant: a list has every order once, or is visibly incomplete. */
function listDifferences({ action, answer }: ActionResult): string[] {
  if (action.type !== 'list' || answer?.status !== 200) return [];
  const rows = rowsOf(answer.body, action.isGzip);
  if (!answer.isComplete) return rows ? ['a list that broke off looks whole'] : [];
  if (!rows) return ['a list that ended well is no JSON array'];
  const expected = [...Object.keys(knownOrders), lastOrder].map(rowOf);
  return [
    ...expected.filter((row) => !rows.includes(row)).map((row) => `a list lacks ${row}`),
    ...rows.filter((row) => !expected.includes(row)).map((row) => `a list has ${row}`),
    ...(new Set(rows).size < rows.length ? ['a list has an order twice'] : []),
  ];
}

const rowOf = (id: string) =>
  `{"id":${id},"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}`;

/** The elements of a JSON array; undefined if it is truncated. */
function rowsOf(body: Buffer, isGzip: boolean): string[] | undefined {
  try {
    return splitArray((isGzip ? gunzipSync(body) : body).toString());
  } catch {
    return undefined;
  }
}

/** Invariant: no wrong success, no fault of the service itself, and a valid key is never refused. */
function wrongStatus({ action, answer }: ActionResult): string[] {
  if (!answer) return [];
  const right = { list: 200, cancel: 204 }[action.type as string];
  const { status } = answer;
  const isWrong =
    (status < 300 && status !== right) || (right !== undefined && status === 401) || status === 500;
  return isWrong ? [`${JSON.stringify(action)} was answered ${status}`] : [];
}

/** Invariant: a request fails only because of a fault that its retries could not overcome. */
function needlessFailure({ action, answer }: ActionResult, { databaseCalls }: SeedRecord) {
  if (!answer || (answer.status < 500 && answer.isComplete)) return [];
  const { status, caller } = answer;
  const own = databaseCalls.filter((call) => caller && call.caller === caller);
  const failed = (call: DatabaseCall) => isFailure(call.attempts.at(-1));
  const hasFailed = own.length > 0 ? own.every(failed) : databaseCalls.some(failed);
  return hasFailed ? [] : [`${JSON.stringify(action)} was answered ${status} without a reason`];
}

const isFailure = (fault: FaultKind | undefined) => fault !== undefined && fault !== 'slow';

/** Invariant: the authorizer and a cancellation repeat a call that failed. */
function abandonedCalls({ databaseCalls }: SeedRecord): string[] {
  return databaseCalls
    .filter(({ operation, attempts }) => operation !== 'Scan' && attempts.length === 1)
    .filter(({ attempts: [fault] }) => isFailure(fault))
    .map(({ operation, attempts: [fault] }) => `${operation} was not repeated after "${fault}"`);
}

/**
 * Invariant: one request cancels an order, and gets 204, or 5xx if its last attempt has failed. No other
 * request gets 204.
 */
function orderDifferences(id: string, { orders, results }: SeedRecord): string[] {
  const { status, cancelledBy } = orders.get(id)!;
  const ofOrder = results.filter((result) => orderIdOf(result) === id);
  const isShipped = ofOrder.some(({ hasShipped }) => hasShipped);
  const isWrongly = knownOrders[id] !== 'pending' && status !== knownOrders[id];
  return [
    ...(isWrongly ? [`the order ${id} was ${knownOrders[id]} and is ${status}`] : []),
    ...(isShipped && status !== 'shipped' ? [`the order ${id} was shipped and is ${status}`] : []),
    ...ofOrder.flatMap(({ action, answer }) => {
      if (action.type !== 'cancel' || !answer) return [];
      const hasCancelled = answer.caller !== undefined && answer.caller === cancelledBy;
      const code = answer.status === 409 ? JSON.parse(answer.body.toString()).code : undefined;
      const isRight =
        hasCancelled || answer.status === 204
          ? hasCancelled && (answer.status === 204 || answer.status >= 500)
          : code === undefined || code === cancelRefusal(status).code;
      const by = hasCancelled ? ' by it' : '';
      return isRight
        ? []
        : [`a cancel of ${id} was told ${answer.status} ${code}; it is ${status}${by}`];
    }),
  ];
}

/** Invariant: no more requests than the limit are admitted. */
function limitDifferences({ results, plan }: SeedRecord): string[] {
  // The functions answer the requests that the authorizer has admitted, and no others.
  const admitted = results.filter(({ answer }) => answer?.headers).length;
  if (admitted <= plan.perMinute) return [];
  return [`${admitted} requests were admitted, of ${plan.perMinute}`];
}

/** Invariant: when the faults have ended, every request succeeds. */
function recoveryDifferences({ recovery }: SeedRecord): string[] {
  const statuses = recovery.map(({ answer }) => (answer?.isComplete ? answer.status : 'broken'));
  return statuses.join() === '200,204,409,401,200'
    ? recovery.flatMap(listDifferences)
    : [`after the faults, the answers are ${statuses.join()}`];
}
