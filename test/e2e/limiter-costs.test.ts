import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IssuedKey } from '../../admin/keys/key-draft.ts';
import { plans } from '../../lib/settings/plans.ts';
import {
  type EmbeddedDynamoDB,
  startEmbeddedDynamoDB,
} from '../../local/dynamodb/embedded-dynamodb.ts';
import { createOwner, createToken } from '../../shared/api-key-token.ts';
import type { TextAnswer } from '../../smoke/stage/http-client.ts';
import {
  type CountingEndpoint,
  startCountingEndpoint,
} from '../helpers/dynamodb/counting-endpoint.ts';
import { RunningStore, rateLimitOf } from './running-store.ts';

let dynamodb: EmbeddedDynamoDB;
let counting: CountingEndpoint;
let store: RunningStore;

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDB();
  counting = await startCountingEndpoint(dynamodb.endpoint);
  store = await RunningStore.start({
    dynamodbEndpoint: counting.endpoint,
    dataEndpoint: dynamodb.endpoint,
  });
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  counting?.close();
  await dynamodb?.close();
});

const get = (token: string) => store.call('GET', '/pets/1', { token });

/** Sends requests, of which a given number run concurrently. */
async function send(tokens: string[], atOnce: number): Promise<TextAnswer[]> {
  const answers: TextAnswer[] = [];
  for (let sent = 0; sent < tokens.length; sent += atOnce) {
    answers.push(...(await Promise.all(tokens.slice(sent, sent + atOnce).map(get))));
  }
  return answers;
}

/** The DynamoDB operations of requests. For this operation, only the authorizer uses DynamoDB. */
async function costOf(work: () => Promise<TextAnswer[]>) {
  const { readUnits, writeUnits } = { ...counting.counts };
  const answers = await work();
  return {
    answers,
    reads: counting.counts.readUnits - readUnits,
    writes: counting.counts.writeUnits - writeUnits,
  };
}

const repeated = ({ apiKey }: IssuedKey, times: number) => new Array<string>(times).fill(apiKey);
const codesOf = (answers: TextAnswer[]) =>
  new Set(answers.map(({ status, text }) => `${status} ${JSON.parse(text).code}`));

describe('at DynamoDB, over HTTP', () => {
  it('I31: ten keys of one Free owner at once are admitted exactly as often as one', async () => {
    const { perMinute } = plans.free;
    const first = await store.issue('free');
    const others = await Promise.all(Array.from({ length: 9 }, () => store.issueAnother(first)));
    // In turn, so that each key's last answer is outdated by those of the others.
    const keys = [first, ...others].map(({ apiKey }) => apiKey);
    const tokens = Array.from({ length: Math.ceil(perMinute / 8) }, () => keys).flat();

    const answers = await send(tokens, tokens.length);

    const admitted = answers.filter(({ status }) => status === 410);
    const left = admitted.map((answer) => rateLimitOf(answer).remaining).sort((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: perMinute }, (_, index) => index));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(tokens.length - perMinute);
  });

  it('a request that is admitted costs one write', async () => {
    const key = await store.issue('pro');

    const { answers, writes } = await costOf(() => send(repeated(key, 10), 1));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([410]));
    expect(writes).toBe(10);
  });

  it('a request over the limit costs one write at the most', async () => {
    const key = await store.issue('free');
    await store.setCounters(key, { minuteCount: plans.free.perMinute });

    const { answers, writes } = await costOf(() => send(repeated(key, 20), 10));

    expect(codesOf(answers)).toEqual(new Set(['429 rate_limit_exceeded']));
    expect(writes).toBeLessThanOrEqual(20);
  });

  it('invented keys cost a read each, and no write', async () => {
    const tokens = Array.from({ length: 20 }, () =>
      createToken('so_test_', createOwner('so_test_').seed),
    );

    const { answers, reads, writes } = await costOf(() => send(tokens, 10));

    expect(codesOf(answers)).toEqual(new Set(['401 unauthorized']));
    expect({ reads, writes }).toEqual({ reads: 20, writes: 0 });
  });

  it('requests of a banned key cost a read each, and no write', async () => {
    const key = await store.issue('free');
    await store.setCounters(key, { bannedUntil: Math.floor(Date.now() / 1_000) + 300 });

    const { answers, reads, writes } = await costOf(() => send(repeated(key, 20), 10));

    expect(codesOf(answers)).toEqual(new Set(['429 api_key_banned']));
    expect({ reads, writes }).toEqual({ reads: 20, writes: 0 });
  });
});
