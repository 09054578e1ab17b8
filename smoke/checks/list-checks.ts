import { createGunzip } from 'node:zlib';
import { JsonArraySplitter } from '../../shared/json-array.ts';
import type { Answer } from '../stage/http-client.ts';
import { rateLimitOf, type Stage, serverSeconds } from '../stage/stage.ts';
import { CheckSkipped, checksOf } from './check.ts';

const mostDifferencesShown = 3;
const secondsPerDay = 86_400;

/** A longer list is read only once, because on AWS the function scans it to its end in any case. */
const mostOrdersReadTwice = 1_000;

const everyOrder = '?status=pending&limit=1';

/** Checks of the whole list. Orders are checked as they arrive, so memory stays constant. */
export function listChecks() {
  let orders: number | undefined;
  return checksOf('List orders', {
    'returns all orders as a JSON array, streamed and gzipped, whatever the query': async (
      stage,
    ) => {
      const answer = await open(stage, 'gzip', everyOrder);
      const list = await readList(stage, answer);
      orders = list.orders;
      return markIfDifferent(stage, answer, [
        ...list.differences,
        ...allowanceDifferences(answer),
        ...streamDifferences(answer),
        ...encodingDifferences(answer, 'gzip'),
      ]);
    },
    'returns the same orders plain to a client that refuses gzip': async (stage) => {
      if (orders === undefined || orders > mostOrdersReadTwice) {
        throw new CheckSkipped(`there are ${orders ?? 'unknown'} orders, and they are read once`);
      }
      const answer = await open(stage, 'gzip;q=0, identity');
      const list = await readList(stage, answer);
      const isSame = list.orders === orders;
      return markIfDifferent(stage, answer, [
        ...list.differences,
        ...(isSame ? [] : [`has ${list.orders} orders, gzipped there were ${orders}`]),
        ...encodingDifferences(answer, undefined),
      ]);
    },
  });
}

interface ReadList {
  readonly orders: number;
  readonly differences: string[];
}

function open(stage: Stage, encoding: string, query = ''): Promise<Answer> {
  return stage.open('listOrders', { query, headers: { 'accept-encoding': encoding } });
}

async function readList(stage: Stage, answer: Answer): Promise<ReadList> {
  const splitter = new JsonArraySplitter();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let orders = 0;
  const differences = [
    ...statusDifferences(answer),
    ...stage.contract.differences('listOrders', answer),
    ...stage.keyDifferences(answer),
  ];
  try {
    for await (const chunk of unzipped(answer, stage)) {
      for (const { bytes } of splitter.push(chunk)) {
        const order = decoder.decode(bytes);
        if (differences.length < mostDifferencesShown) {
          differences.push(...stage.contract.orderDifferences(order));
        }
        orders++;
      }
    }
    splitter.end();
  } catch (error) {
    differences.push(`after ${orders} orders: ${(error as Error).message}`);
  }
  return { orders, differences };
}

/** Decompresses a body and counts its compressed bytes. */
async function* unzipped({ headers, body }: Answer, stage: Stage): AsyncGenerator<Buffer> {
  const count = (chunk: Buffer) => stage.exchanges.received({ headers }, chunk.length);
  const isGzip = headers.get('content-encoding')?.[0] === 'gzip';
  const gunzip = createGunzip();
  if (isGzip) {
    // pipe() does not pass on errors, so a broken connection would never end the loop below.
    body.on('error', (error) => gunzip.destroy(error));
    body.on('data', count).pipe(gunzip);
  }
  for await (const chunk of (isGzip ? gunzip : body) as AsyncIterable<Buffer>) {
    if (!isGzip) count(chunk);
    stage.exchanges.received({ headers }, 0, chunk.toString('utf8', 0, 200));
    yield chunk;
  }
}

function markIfDifferent(stage: Stage, answer: Answer, differences: string[]): string[] {
  if (differences.length > 0) stage.exchanges.markDifferent(answer);
  return differences;
}

function statusDifferences({ status }: Answer): string[] {
  return status === 200 ? [] : [`answered ${status}, expected 200`];
}

function streamDifferences({ headers }: Answer): string[] {
  return headers.has('content-length') ? ['has a content-length, so it was not streamed'] : [];
}

function encodingDifferences({ headers }: Answer, expected: string | undefined): string[] {
  const actual = headers.get('content-encoding')?.[0];
  return actual === expected
    ? []
    : [`content-encoding is ${actual ?? 'absent'}, expected ${expected ?? 'none'}`];
}

/** The differences of an admitted request's headers: the remainder and the time of the reset. */
function allowanceDifferences(answer: Answer): string[] {
  const { limit, remaining, reset } = rateLimitOf(answer);
  // The comparison with the contract reports a missing header.
  if (Number.isNaN(limit + remaining + reset)) return [];
  const now = serverSeconds(answer);
  const isWithin = limit > 0 && remaining < limit;
  const isAhead = reset % 60 === 0 && reset >= now && reset <= now + secondsPerDay;
  return [
    ...(isWithin ? [] : [`x-ratelimit-remaining ${remaining} of ${limit} for an admitted request`]),
    ...(isAhead ? [] : [`x-ratelimit-reset ${reset} is no coming end of a minute or day (${now})`]),
  ];
}
