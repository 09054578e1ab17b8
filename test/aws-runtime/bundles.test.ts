import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import type { FunctionName } from '../../lib/settings/functions.ts';
import {
  answer,
  DynamodbProxy,
  failure,
  lost,
  type Reply,
  refused,
} from '../helpers/dynamodb/dynamodb-proxy.ts';
import { exampleToken, ownerItem } from '../helpers/dynamodb/key-items.ts';
import { orderItems } from '../helpers/dynamodb/orders.ts';
import { scanOf } from '../helpers/dynamodb/scanned-table.ts';
import { authorizerEvent, cancelEvent, proxyEvent } from '../helpers/functions/events.ts';
import { functionEnvironment } from '../helpers/functions/function-environment.ts';
import { preloading } from '../helpers/functions/template-with-functions.ts';
import { assemblyDirectory } from '../helpers/synthesized.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { LambdaProcess, type Report } from './lambda-process.ts';
import { networkBefore } from './network.ts';

// For 127.0.0.1 too, where its name is localhost.
const name = [{ name: 'commonName', value: 'localhost' }];
const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
const home = temporaryDirectory();
const certificateFile = home.write('certificate.pem', cert);

let dynamodb: DynamodbProxy;
/** Who signed each request, and with which session. */
const signatures = new Set<string>();

beforeAll(async () => {
  dynamodb = await DynamodbProxy.start(lost, { key, cert });
});

beforeEach(() => {
  dynamodb.requests.length = 0;
  dynamodb.next.length = 0;
  signatures.clear();
});

afterAll(async () => {
  await dynamodb[Symbol.asyncDispose]();
  home.remove();
});

/** Answers over TLS, and notes by whom requests are signed. */
function reply(replies: Reply): void {
  dynamodb.reply = (call) => {
    const { authorization, 'x-amz-security-token': session } = call.incoming.headers;
    signatures.add(`${/Credential=(\w+)/.exec(authorization ?? '')?.[1]} ${session}`);
    return replies(call);
  };
}

function start(
  name: FunctionName,
  endpoint = dynamodb.url,
  variables: Record<string, string> = {},
): Promise<LambdaProcess> {
  return LambdaProcess.start(join(assemblyDirectory(), 'bundles', name), {
    ...functionEnvironment,
    NODE_EXTRA_CA_CERTS: certificateFile,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session-token',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    ...variables,
  });
}

const serverError = answer({ __type: 'InternalServerError' }, 500);
const written: Reply = (call) => {
  const values = call.input.ExpressionAttributeValues as Record<string, object>;
  const cancelRequestId = values[':cancelRequestId'];
  answer({ Attributes: { status: { S: 'cancelled' }, cancelRequestId } })(call);
};
const ofRole = new Set(['AKIDEXAMPLE session-token']);

describe("the bundles under AWS's runtime client", () => {
  it('authorizer: admits a key', async () => {
    await using authorizer = await start('authorizer');
    const item = ownerOfKey();
    reply(answer({ Item: item, Attributes: item }));

    const { payload } = await authorizer.invoke(authorizerEvent(`Bearer ${exampleToken()}`));

    expect(JSON.parse(payload.toString())).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Allow' }] },
    });
    expect(signatures).toEqual(ofRole);
  });

  it('cancelOrder: repeats a write that DynamoDB fails, and tells a failed condition apart', async () => {
    await using cancelOrder = await start('cancelOrder');
    reply(written);
    dynamodb.next[0] = serverError;
    const Item = { status: { S: 'shipped' } };
    dynamodb.next[2] = failure('ConditionalCheckFailedException', { Item });

    const first = await cancelOrder.invoke(cancelEvent('7'));
    const second = await cancelOrder.invoke(cancelEvent('7'));

    expect(JSON.parse(first.payload.toString()).statusCode).toBe(204);
    expect(second.payload.toString()).toContain('order_already_shipped');
    expect(dynamodb.requests).toHaveLength(3);
    expect(signatures).toEqual(ofRole);
  });

  it('listOrders: streams its list, plain or compressed', async () => {
    await using listOrders = await start('listOrders');
    reply(scanOf({ items: orderItems(20_000) }));

    const plain = listOf(await listOrders.invoke(listEvent('identity')));
    const compressed = listOf(await listOrders.invoke(listEvent('gzip')));

    expect(plain.prelude).toMatchObject({ statusCode: 200 });
    expect(JSON.parse(plain.body.toString())).toHaveLength(20_000);
    expect(compressed.prelude.headers).toMatchObject({ 'Content-Encoding': 'gzip' });
    expect(JSON.parse(gunzipSync(compressed.body).toString())).toHaveLength(20_000);
    expect(signatures).toEqual(ofRole);
  });

  it('listOrders: breaks a list that fails half-way, and goes on with the next', async () => {
    await using listOrders = await start('listOrders');
    reply(scanOf({ items: orderItems(20_000) }));
    dynamodb.next[7] = refused;

    const broken = await listOrders.invoke(listEvent('identity'));
    const next = await listOrders.invoke(listEvent('identity'));

    expect(broken.errorType).toBe('ValidationException');
    expect(listOf(broken).prelude).toMatchObject({ statusCode: 200 });
    expect(() => JSON.parse(listOf(broken).body.toString())).toThrow(SyntaxError);
    expect(next.errorType).toBeUndefined();
    expect(JSON.parse(listOf(next).body.toString())).toHaveLength(20_000);
  });
});

describe('connections that were lost while the environment was frozen', () => {
  const owner = () => answer({ Item: ownerOfKey(), Attributes: ownerOfKey() });
  const cases: Record<FunctionName, [object, Reply, RegExp]> = {
    listOrders: [
      listEvent('identity'),
      scanOf({ items: orderItems(20_000) }),
      /^{"statusCode":200/,
    ],
    cancelOrder: [cancelEvent('7'), written, /^{"statusCode":204/],
    authorizer: [authorizerEvent(`Bearer ${exampleToken()}`), owner(), /^{"principalId":"key_/],
  };

  it.each<[FunctionName, number, number]>([
    ['listOrders', 4, 3],
    ['cancelOrder', 1, 2],
    ['authorizer', 1, 2],
  ])('cost %s none of its attempts: %i of them', async (name, connections, attempts) => {
    const [event, replies, expected] = cases[name];
    await using network = await networkBefore(dynamodb.url);
    await using lambda = await start(name, network.url);
    reply(replies);
    await lambda.invoke(event);
    expect(network.connections).toBe(connections);
    dynamodb.next.push(...Array<Reply>(attempts - 1).fill(serverError));

    network.lose();
    const sinceMs = performance.now();
    const { payload, errorType } = await lambda.invoke(event);

    expect([payload.toString('utf8', 0, 100), errorType]).toEqual([
      expect.stringMatching(expected),
      undefined,
    ]);
    // Not two time-outs, however many were lost.
    expect(performance.now() - sinceMs).toBeLessThan(6_000);
  });

  it.each([
    ['idle for long', 5_001],
    ['idle since a time to come', -1],
  ])('take no time if they were %s', async (_when, clockMs) => {
    await using network = await networkBefore(dynamodb.url);
    const startMs = Date.now();
    const clock = home.write('clock', String(startMs));
    const require = join(import.meta.dirname, '../helpers/functions/function-clock.cjs');
    await using lambda = await start('listOrders', network.url, {
      ...preloading(require),
      TEST_CLOCK_FILE: clock,
    });
    reply(scanOf({ items: orderItems(20_000) }));
    await lambda.invoke(listEvent('identity'));

    network.lose();
    home.write('clock', String(startMs + clockMs));
    const sinceMs = performance.now();
    const { payload } = await lambda.invoke(listEvent('identity'));

    expect(payload.toString('utf8', 0, 17)).toBe('{"statusCode":200');
    expect(performance.now() - sinceMs).toBeLessThan(3_000);
  });

  it('are few: what was idle for a short time is used again', async () => {
    await using network = await networkBefore(dynamodb.url);
    await using lambda = await start('cancelOrder', network.url);
    reply(written);

    for (let call = 0; call < 3; call++) await lambda.invoke(cancelEvent('7'));

    expect(network.connections).toBe(1);
  });
});

function ownerOfKey() {
  const now = Math.floor(Date.now() / 1000);
  return ownerItem({
    minuteWindow: now - (now % 60),
    minuteCount: 1,
    dayWindow: now - (now % 86_400),
    dayCount: 1,
  });
}

function listEvent(encoding: string): object {
  return proxyEvent({ headers: { 'Accept-Encoding': encoding } });
}

/** Eight zero bytes separate the prelude of a streamed response from its body. */
function listOf({ payload }: Report) {
  const end = payload.indexOf(Buffer.alloc(8));
  return { prelude: JSON.parse(payload.toString('utf8', 0, end)), body: payload.subarray(end + 8) };
}
