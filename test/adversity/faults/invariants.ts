import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Contract } from '../../../smoke/stage/contract.ts';
import { wholeListDifferences } from './list-differences.ts';
import { knownOrders, lastOrder } from './seed-plan.ts';
import type { ActionResult, FaultRecord, SeedRecord } from './seed-run.ts';
import type { StoreUnderFaults } from './store-under-faults.ts';

const contract = new Contract(parse(readFileSync('openapi.yaml', 'utf8')));
/** An allowance for a machine under load. */
const slackMs = 3_000;

/** The violations of the invariants in the record of a run. */
export function violations(
  record: SeedRecord,
  store: Pick<StoreUnderFaults, 'timeoutsMs'>,
): string[] {
  const { results, recovery, faults } = record;
  return [
    ...[...results, ...recovery].flatMap((each) => [
      ...answerDifferences(each),
      ...lateness(each, store.timeoutsMs),
    ]),
    ...results.flatMap((each) => listDifferences(each, results)),
    ...results.flatMap(wrongSuccess),
    ...results.flatMap((each) => wrongRefusal(each, faults)),
    ...Object.keys(knownOrders).flatMap((id) => orderDifferences(id, record)),
    ...limitDifferences(record),
    ...recoveryDifferences(record),
  ];
}

const operationOf = (action: ActionResult['action']) =>
  action.type === 'list' || (action.type === 'bad-key' && action.orderId === undefined)
    ? 'listOrders'
    : 'cancelOrder';

/** Invariant: a complete answer is documented in the contract, with all of its headers. */
function answerDifferences({ action, answer }: ActionResult): string[] {
  if (!answer?.isComplete || answer.status === undefined) return [];
  const { status, headers, body } = answer;
  const isList = status === 200;
  const compared = { status, headers, ...(!isList && { text: body.toString() }) };
  const found = contract.differences(operationOf(action), compared);
  return found.map(
    (difference) => `${JSON.stringify(action)} was answered ${status}: ${difference}`,
  );
}

function lateness(
  { action, answer, beganAtMs, endedAtMs }: ActionResult,
  timeoutsMs: StoreUnderFaults['timeoutsMs'],
): string[] {
  const limitMs = timeoutsMs[operationOf(action) === 'listOrders' ? 'GET' : 'DELETE'] + slackMs;
  const tookMs = Math.round(endedAtMs - beganAtMs);
  if (!answer || tookMs <= limitMs) return [];
  return [`${JSON.stringify(action)} took ${tookMs} ms, and may take ${limitMs}`];
}

/** Invariant: a list contains each order that existed all the time once, or is visibly incomplete. */
function listDifferences(
  { action, answer, ...times }: ActionResult,
  all: readonly ActionResult[],
): string[] {
  if (action.type !== 'list' || answer?.status !== 200) return [];
  const placed = all.filter(({ action: { type } }) => type === 'place');
  const before = placed.filter(({ endedAtMs }) => endedAtMs < times.beganAtMs).map(idOf);
  const during = placed.filter(({ beganAtMs }) => beganAtMs < times.endedAtMs).map(idOf);
  const required = [...Object.keys(knownOrders), lastOrder, ...before];
  return wholeListDifferences(answer, {
    isGzip: action.isGzip,
    required: new Set(required),
    isPossible: (id) => required.includes(id) || during.includes(id),
    rowOf,
  });
}

const idOf = ({ action }: ActionResult) => ('orderId' in action ? (action.orderId ?? '') : '');

const rowOf = (id: string) =>
  `{"id":${id},"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}`;

function wrongSuccess({ action, answer }: ActionResult): string[] {
  const status = answer?.status ?? 0;
  if (status < 200 || status > 299) return [];
  const right = { list: 200, cancel: 204, 'bad-key': undefined, ship: undefined, place: undefined };
  return status === right[action.type] ? [] : [`${JSON.stringify(action)} was answered ${status}`];
}

/** Invariant: a request without a fault does not fail, and a valid key is never refused. */
function wrongRefusal({ action, answer }: ActionResult, { injected }: FaultRecord): string[] {
  const status = answer?.status ?? 500;
  const what = `${JSON.stringify(action)} was answered ${status}`;
  if (answer && status >= 500 && injected.size === 0) return [`${what} without a fault`];
  if (answer && !answer.isComplete && injected.size === 0) return [`${what} and broke off`];
  const isKnown = action.type === 'list' || action.type === 'cancel';
  return isKnown && status === 401 && !hasEmptiedItem(injected) ? [`${what} for a valid key`] : [];
}

/** Whether a fault has removed an item from an answer, as if the key did not exist. */
const hasEmptiedItem = (injected: FaultRecord['injected']) =>
  injected.has('emptied') || injected.has('hollow');

/** Invariant: an order is cancelled by one request, which got a 204 or whose answer was lost. */
function orderDifferences(id: string, record: SeedRecord): string[] {
  const { status, cancelRequestId } = record.orders.get(id)!;
  const isShipped = record.results.some(
    ({ action, isDone }) => action.type === 'ship' && action.orderId === id && isDone,
  );
  const answers = record.results
    .filter(({ action }) => action.type === 'cancel' && action.orderId === id)
    .map(({ answer }) => answer!);
  const told = answers.filter((answer) => answer.status === 204).length;
  const wrote = record.faults.doneWrites.filter(
    ({ values }) => values[':cancelRequestId']?.S === cancelRequestId,
  );
  const wasLost = wrote.some(({ isAnswered }) => !isAnswered);
  const isCancelled = knownOrders[id] === 'pending' && status === 'cancelled';
  const codes = answers.map(({ body }) => /"code":"order_(\w+)"/.exec(body.toString())?.[1]);
  const right = {
    shipped: 'already_shipped',
    cancelled: 'already_cancelled',
    returned: 'not_cancellable',
  };
  const wrong = codes.filter((code) => code && code !== right[status as keyof typeof right]);
  return [
    ...(told > 1 ? [`the order ${id} was cancelled ${told} times`] : []),
    ...(told > 0 && !isCancelled ? [`the order ${id} is ${status}, after a 204`] : []),
    ...(isCancelled && told === 0 && !wasLost ? [`nobody was told that ${id} is cancelled`] : []),
    ...(isCancelled && isShipped ? [`the order ${id} was shipped and is cancelled`] : []),
    ...(isShipped && status !== 'shipped' ? [`the order ${id} was shipped and is ${status}`] : []),
    ...wrong.map((code) => `the order ${id} is ${status}, and a request was told ${code}`),
  ];
}

function limitDifferences({ results, plan }: SeedRecord): string[] {
  const admitted = results.filter(({ answer }) => {
    const limit = answer?.headers.get('x-ratelimit-limit')?.[0] ?? '0';
    return limit !== '0' && answer?.status !== 429;
  });
  if (admitted.length <= plan.perMinute) return [];
  return [`${admitted.length} requests were admitted, of ${plan.perMinute}`];
}

function recoveryDifferences({ recovery }: SeedRecord): string[] {
  const statuses = recovery.map(({ answer }) => (answer?.isComplete ? answer.status : undefined));
  const lists = recovery.flatMap((each) => listDifferences(each, []));
  return statuses.join() === '200,204,409,401,200'
    ? lists.filter((difference) => !difference.startsWith('a list has 1'))
    : [`after the faults, the answers are ${statuses.join()}`];
}
