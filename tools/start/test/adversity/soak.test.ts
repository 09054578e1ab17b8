import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { captureLines } from '../../../../test/helpers/captured-lines.ts';
import { orderItem } from '../../../../test/helpers/dynamodb/orders.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../../shared/test/embedded-dynamodb.ts';
import { collectGarbage } from '../collect-garbage.ts';
import { noFaults } from './faulty-dynamodb.ts';
import { rowDifferences } from './invariants.ts';
import { type Random, randomFrom } from './random.ts';
import { knownOrders } from './seed-run.ts';
import { violationsOf } from './seeds.ts';
import { type Asked, quickenTimeLimits, ServiceInThread } from './service-in-thread.ts';

/*
 * A mixed load and seeds of faults take turns for `SOAK_MINUTES`, but at least once. A turn consists of
 * hundreds of lists, cancellations, invalid keys and requests beyond a limit, a few at a time, and of some
 * seeds. After each turn, the test records the memory of this process, which runs the service's functions.
 */

/** A kind of request, and the statuses of which each answer to it has one. */
interface Kind {
  readonly ask: (random: Random) => Asked;
  readonly statuses: readonly number[];
}

const minutes = Number(process.env.SOAK_MINUTES ?? 0);
const requestsPerTurn = 400;
const requestsAtOnce = 16;
const seedsPerTurn = 3;
const limitPerMinute = 30;
/** Memory is compared after at least this many turns, because the first turn loads code and data. */
const turnsForMemory = 12;
const orderIds = Object.keys(knownOrders);

let database: EmbeddedDynamoDb;
/** The load and the seeds have a service each, because the seeds' runs expect no orders but their own. */
let loaded: ServiceInThread;
let failing: ServiceInThread;

beforeAll(async () => {
  database = await startDynamoDb();
  loaded = await ServiceInThread.start(database);
  failing = await ServiceInThread.start(database);
});

afterAll(async () => {
  await loaded?.[Symbol.asyncDispose]();
  await failing?.[Symbol.asyncDispose]();
  await database?.stop();
});

it(
  'keeps its invariants under a mixed load and faults in turns, and its memory levels off',
  async () => {
    const endsAtMs = performance.now() + minutes * 60_000;
    const memoryMb: number[] = [];
    const found: string[] = [];
    for (let turn = 1; turn === 1 || performance.now() < endsAtMs; turn++) {
      const log = captureLines();
      found.push(...(await loadDifferences(turn)));
      const endQuickTime = quickenTimeLimits();
      for (const seed of seedsOf(turn)) found.push(...(await violationsOf(seed, failing)));
      endQuickTime();
      log.release();
      // Forgets the recorded calls, which would grow with the number of turns.
      loaded.dynamodb.use(noFaults);
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      memoryMb.push(Math.round((heapUsed + external) / 2 ** 20));
    }

    expect([...found, ...growth(memoryMb)]).toEqual([]);
  },
  (minutes + 10) * 60_000,
);

const seedsOf = (turn: number) =>
  Array.from({ length: seedsPerTurn }, (_, index) => turn * seedsPerTurn + index);

/** Compares the last third of a long run with the third before it. */
function growth(memoryMb: readonly number[]): string[] {
  if (memoryMb.length < turnsForMemory) return [];
  const third = Math.floor(memoryMb.length / 3);
  const [before, last] = [memoryMb.slice(-2 * third, -third), memoryMb.slice(-third)];
  if (Math.min(...last) <= Math.max(...before)) return [];
  return [`the memory grows: ${memoryMb.join(', ')} MB`];
}

/** A turn of the load. */
async function loadDifferences(turn: number): Promise<string[]> {
  const random = randomFrom('soak', turn);
  await Promise.all(orderIds.map(putPending));
  const kinds = kindsWith(await loaded.issueKey(60_000), await loaded.issueKey(limitPerMinute));
  const found: string[] = [];
  let left = requestsPerTurn;
  const client = async () => {
    while (left-- > 0) {
      const { ask, statuses } = random.pick(kinds);
      const asked = ask(random);
      const answer = await loaded.ask(asked);
      const { status, isComplete } = answer;
      if (!isComplete || !statuses.includes(status)) {
        found.push(`${JSON.stringify({ ...asked, token: '…' })} was answered ${status}`);
      } else if (status === 200) {
        found.push(...rowDifferences(answer, asked.isGzip === true, orderIds));
      }
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, client));
  return found;
}

/** The kinds of requests, with the keys of an owner that is never limited and of one that is. */
function kindsWith(token: string, limited: string): Kind[] {
  const cancel: Kind = {
    ask: (random) => ({ token, orderId: random.pick(orderIds) }),
    statuses: [204, 409],
  };
  return [
    { ask: () => ({ token }), statuses: [200] },
    { ask: () => ({ token, isGzip: true }), statuses: [200] },
    ...[cancel, cancel, cancel],
    { ask: () => ({ token: 'wrong', orderId: '404' }), statuses: [401] },
    { ask: () => ({ token: limited, orderId: '404' }), statuses: [404, 429] },
  ];
}

async function putPending(id: string): Promise<void> {
  const Item = orderItem(id, { status: { S: 'pending' } });
  await database.dynamodb.send(new PutItemCommand({ TableName: loaded.ordersTable, Item }));
}
