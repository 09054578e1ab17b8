import { readFileSync } from 'node:fs';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { Contract } from '../../smoke/stage/contract.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../helpers/dynamodb/embedded-dynamodb.ts';
import { orderItem } from '../helpers/dynamodb/orders.ts';
import { startHttpStore } from './faults/http-store.ts';
import { wholeListDifferences } from './faults/list-differences.ts';
import { checkSeeds } from './faults/seeds.ts';
import type { StoreAnswer, StoreRequest, StoreUnderFaults } from './faults/store-under-faults.ts';
import { type Random, randomFrom } from './random.ts';

/*
 * A mixed load and seeds of faults take turns for `SOAK_MINUTES`. A turn of the load has hundreds of
 * lists, cancels, invalid keys and requests beyond a limit, a few at a time; then some seeds, each with
 * its recovery. The memory of this process, which has the service's functions as threads, is taken
 * after each turn.
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

const contract = new Contract(parse(readFileSync('openapi.yaml', 'utf8')));
let database: EmbeddedDynamoDb;
let store: StoreUnderFaults;

beforeAll(async () => {
  database = await startDynamoDb();
  store = await startHttpStore(database.endpoint);
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await database?.stop();
});

describe('the local service, under a mixed load and faults in turns', () => {
  it(
    'keeps its invariants, and its memory levels off',
    async () => {
      const endsAtMs = performance.now() + minutes * 60_000;
      const memoryMb: number[] = [];
      const found: string[] = [];
      for (let turn = 1; turn === 1 || performance.now() < endsAtMs; turn++) {
        found.push(...(await loadDifferences(turn)));
        found.push(...(await checkSeeds(seedsOf(turn), [store])));
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
  const tokens = [await store.issueKey(60_000), await store.issueKey(limitPerMinute)] as const;
  const found: string[] = [];
  const cancelled = new Map<string, number>();
  let admitted = 0;
  let left = requestsPerTurn;
  const client = async () => {
    while (left-- > 0) {
      const kind = random.pick(mix);
      const orderId = kind === 'cancel' ? random.pick(orderIds) : '404';
      const answer = await store.send(requestOf(kind, orderId, tokens, random));
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
  await store.data.send(new PutItemCommand({ TableName: store.ordersTable, Item }));
}

async function remove(id: string): Promise<void> {
  const Key = { id: { N: id } };
  await store.data.send(new DeleteItemCommand({ TableName: store.ordersTable, Key }));
}

function requestOf(
  kind: Kind,
  orderId: string,
  [unlimited, limited]: readonly [string, string],
  random: Random,
): StoreRequest {
  const isList = kind === 'list' || kind === 'gzip list';
  const authorization = {
    'bad key': random.pick(['', 'Bearer wrong', `Bearer so_test_${'a'.repeat(46)}`]),
    limited: `Bearer ${limited}`,
  };
  return {
    method: isList ? 'GET' : 'DELETE',
    path: isList ? '/store/orders' : `/store/orders/${orderId}`,
    headers: {
      authorization: authorization[kind as keyof typeof authorization] ?? `Bearer ${unlimited}`,
      ...(kind === 'gzip list' && { 'accept-encoding': 'gzip' }),
    },
  };
}

function answerDifferences(kind: Kind, answer: StoreAnswer): string[] {
  const { status, headers, body, isComplete } = answer;
  if (!isComplete || !expectedStatuses[kind].includes(status ?? 0)) {
    return [`${kind} was answered ${status ?? 'nothing'}${isComplete ? '' : ', and broke off'}`];
  }
  const operation = kind.endsWith('list') ? 'listOrders' : 'cancelOrder';
  const compared = { status: status!, headers, ...(status !== 200 && { text: body.toString() }) };
  return [
    ...contract.differences(operation, compared).map((difference) => `${kind}: ${difference}`),
    ...(status === 200 ? listDifferences(kind, answer) : []),
  ];
}

function listDifferences(kind: Kind, answer: StoreAnswer): string[] {
  const isGzip = kind === 'gzip list';
  // The orders of the seeds' runs are in the table as well.
  return wholeListDifferences(answer, {
    isGzip,
    required: new Set(orderIds),
    isPossible: () => true,
  });
}
