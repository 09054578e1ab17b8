import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { JsonArraySplitter } from '../../shared/json-array.ts';
import type { Answer } from '../stage/http-client.ts';
import { rateLimitOf, type Stage, serverSeconds } from '../stage/stage.ts';
import { checksOf } from './check.ts';

const mostDifferencesShown = 3;
const secondsPerDay = 86_400;

/** The list in all its encodings. Orders are checked as they arrive, whatever their number. */
export function listChecks() {
  let plainOrders = 0;
  return checksOf('List orders', {
    'returns a JSON array of orders, streamed': async (stage) => {
      const answer = await open(stage, 'identity');
      const list = await readList(stage, answer);
      plainOrders = list.orders;
      return [...list.differences, ...allowanceDifferences(answer), ...streamDifferences(answer)];
    },
    'returns the same orders gzipped': async (stage) => {
      const answer = await open(stage, 'gzip');
      const differences = await expectOrders(stage, answer, plainOrders);
      return [...differences, ...encodingDifferences(answer, 'gzip')];
    },
    'ignores query parameters': async (stage) =>
      expectOrders(stage, await open(stage, 'gzip', '?status=pending&limit=1'), plainOrders),
    'does not gzip for a client that refuses it': async (stage) => {
      const answer = await open(stage, 'gzip;q=0, identity');
      answer.body.destroy();
      return [
        ...statusDifferences(answer),
        ...stage.contract.differences('listOrders', answer),
        ...encodingDifferences(answer, undefined),
      ];
    },
  });
}

interface ReadList {
  readonly orders: number;
  readonly differences: string[];
}

async function expectOrders(stage: Stage, answer: Answer, expected: number): Promise<string[]> {
  const { orders, differences } = await readList(stage, answer);
  const isSame = orders === expected;
  return [
    ...differences,
    ...(isSame ? [] : [`has ${orders} orders, plain there were ${expected}`]),
  ];
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
    for await (const chunk of unzipped(answer)) {
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

function unzipped({ headers, body }: Answer): Readable {
  if (headers.get('content-encoding')?.[0] !== 'gzip') return body;
  const gunzip = createGunzip();
  // pipe() does not pass errors on; without this a broken connection would never end the reading.
  body.on('error', (error) => gunzip.destroy(error));
  return body.pipe(gunzip);
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

/** An admitted request's headers: within the limit, and a reset in the future at a full minute. */
function allowanceDifferences(answer: Answer): string[] {
  const { limit, remaining, reset } = rateLimitOf(answer);
  const now = serverSeconds(answer);
  const isWithin = limit > 0 && remaining < limit;
  const isAhead = reset % 60 === 0 && reset >= now && reset <= now + secondsPerDay;
  return [
    ...(isWithin ? [] : [`x-ratelimit-remaining ${remaining} of ${limit} for an admitted request`]),
    ...(isAhead ? [] : [`x-ratelimit-reset ${reset} is no coming end of a minute or day (${now})`]),
  ];
}
