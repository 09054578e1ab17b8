import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { captureLines } from '../helpers/captured-lines.ts';
import { contract } from '../helpers/contract-check.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../helpers/dynamodb/embedded-dynamodb.ts';
import { orderItem } from '../helpers/dynamodb/orders.ts';
import { rowDifferences } from './faults/invariants.ts';
import { knownOrders, lastOrder } from './faults/seed-run.ts';
import { violationsOf } from './faults/seeds.ts';
import {
  type Answer,
  type Asked,
  quickenTimeLimits,
  ServiceInThread,
} from './faults/service-in-thread.ts';
import { type Random, randomFrom } from './random.ts';

/*
 * A mixed load and seeds of faults take turns for `SOAK_MINUTES`. A turn of the load has hundreds of
 * lists, cancels, invalid keys and requests beyond a limit, a few at a time; then some seeds, each with
 * its recovery. The memory of this process, which runs the service's functions, is taken after each turn.
 */

type Kind = 'list' | 'gzip list' | 'cancel' | 'bad key' | 'limited';

const minutes = Number(process.env.SOAK_MINUTES ?? 0.1);
const requestsPerTurn = 400;
const requestsAtOnce = 16;
const seedsPerTurn = 3;
const limitPerMinute = 30;
/** From so many turns on, what a first turn has loaded is small beside what could have leaked. */
const turnsForMemory = 12;
const firstId = 9_007_199_254_740_993n;
const orderIds = Array.from({ length: 300 }, (_, index) => String(firstId + BigInt(index)));
const mix: readonly Kind[] = [
  'list',
  'gzip list',
  'cancel',
  'cancel',
  'cancel',
  'bad key',
  'limited',
];
const expectedStatuses: Readonly<Record<Kind, readonly number[]>> = {
  list: [200],
  'gzip list': [200],
  cancel: [204, 409],
  'bad key': [401],
  limited: [404, 429],
};

const log = captureLines();
let database: EmbeddedDynamoDb;
let service: ServiceInThread;

beforeAll(async () => {
  database = await startDynamoDb();
  service = await ServiceInThread.start(database);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await database?.stop();
  log.release();
});

describe('the functions, under a mixed load and faults in turns', () => {
  it(
    'keeps its invariants, and its memory levels off',
    async () => {
      const endsAtMs = performance.now() + minutes * 60_000;
      const memoryMb: number[] = [];
      const found: string[] = [];
      for (let turn = 1; turn === 1 || performance.now() < endsAtMs; turn++) {
        found.push(...(await loadDifferences(turn)));
        const endQuickTime = quickenTimeLimits();
        for (const seed of seedsOf(turn)) found.push(...(await violationsOf(seed, service)));
        endQuickTime();
        memoryMb.push(Math.round(process.memoryUsage.rss() / 2 ** 20));
      }

      expect([...found, ...growth(memoryMb)]).toEqual([]);
    },
    (minutes + 10) * 60_000,
  );
});

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

/** A turn of the load, on pending orders of its own. */
async function loadDifferences(turn: number): Promise<string[]> {
  const random = randomFrom('soak', turn);
  await Promise.all(orderIds.map(putPending));
  const tokens = [await service.issueKey(60_000), await service.issueKey(limitPerMinute)] as const;
  const found: string[] = [];
  const cancelled = new Map<string, number>();
  let admitted = 0;
  let left = requestsPerTurn;
  const client = async () => {
    while (left-- > 0) {
      const kind = random.pick(mix);
      const orderId = kind === 'cancel' ? random.pick(orderIds) : '404';
      const answer = await service.ask(requestOf(kind, orderId, tokens, random));
      found.push(...answerDifferences(kind, answer));
      if (kind === 'limited' && answer.status !== 429) admitted++;
      if (answer.status === 204) cancelled.set(orderId, (cancelled.get(orderId) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, client));
  // The seeds' runs expect no orders but their own.
  await Promise.all(orderIds.map(remove));
  const twice = [...cancelled].filter(([, times]) => times > 1);
  return [
    ...found,
    ...twice.map(([id, times]) => `the order ${id} was cancelled ${times} times`),
    ...(admitted > limitPerMinute ? [`${admitted} were admitted, of ${limitPerMinute}`] : []),
  ];
}

async function putPending(id: string): Promise<void> {
  const Item = orderItem(id, { status: { S: 'pending' } });
  await database.dynamodb.send(new PutItemCommand({ TableName: service.ordersTable, Item }));
}

async function remove(id: string): Promise<void> {
  const Key = { id: { N: id } };
  await database.dynamodb.send(new DeleteItemCommand({ TableName: service.ordersTable, Key }));
}

function requestOf(
  kind: Kind,
  orderId: string,
  [unlimited, limited]: readonly [string, string],
  random: Random,
): Asked {
  const isList = kind === 'list' || kind === 'gzip list';
  const badKeys = ['', 'wrong', `so_test_${'a'.repeat(46)}`];
  const tokens: Partial<Record<Kind, string>> = { 'bad key': random.pick(badKeys), limited };
  return {
    token: tokens[kind] ?? unlimited,
    orderId: isList ? undefined : orderId,
    isGzip: kind === 'gzip list',
  };
}

function answerDifferences(kind: Kind, answer: Answer): string[] {
  const { status, headers, body, isComplete } = answer;
  if (!isComplete || !expectedStatuses[kind].includes(status)) {
    return [`${kind} was answered ${status}${isComplete ? '' : ', and broke off'}`];
  }
  if (!headers) return [];
  const operation = kind.endsWith('list') ? 'listOrders' : 'cancelOrder';
  const compared = { status, headers, ...(status !== 200 && { text: body.toString() }) };
  // The orders of the seeds' runs may be in the table as well.
  const others = [...Object.keys(knownOrders), lastOrder];
  return [
    ...contract.differences(operation, compared).map((difference) => `${kind}: ${difference}`),
    ...(status === 200 ? rowDifferences(answer, kind === 'gzip list', orderIds, others) : []),
  ];
}
