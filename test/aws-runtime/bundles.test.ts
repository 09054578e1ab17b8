import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import { runtimeFailure } from '../../lib/monitoring/saved-queries.ts';
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
import { assemblyDirectory } from '../helpers/synthesized.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { LambdaProcess, type Report } from './lambda-process.ts';

// The certificate has the name localhost, and is also valid for 127.0.0.1.
const name = [{ name: 'commonName', value: 'localhost' }];
const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
const home = temporaryDirectory();
const certificateFile = home.write('certificate.pem', cert);

let dynamodb: DynamodbProxy;
/** The signer and the session of each request. */
const signatures = new Set<string>();

beforeAll(async () => {
  dynamodb = await DynamodbProxy.start(lost, { certificate: { key, cert } });
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

/** Answers over TLS, and records who signed the requests. */
function reply(replies: Reply): void {
  dynamodb.reply = (call) => {
    const { authorization, 'x-amz-security-token': session } = call.incoming.headers;
    signatures.add(`${/Credential=(\w+)/.exec(authorization ?? '')?.[1]} ${session}`);
    return replies(call);
  };
}

function start(name: FunctionName): Promise<LambdaProcess> {
  return LambdaProcess.start(join(assemblyDirectory(), 'bundles', name), {
    ...functionEnvironment,
    NODE_EXTRA_CA_CERTS: certificateFile,
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session-token',
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
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
    reply(answer({ Item: ownerItem(), Attributes: ownerItem() }));

    const { payload } = await authorizer.invoke(authorizerEvent(`Bearer ${exampleToken()}`));

    expect(JSON.parse(payload.toString())).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Allow' }] },
    });
    expect(signatures).toEqual(ofRole);
  });

  it('cancelOrder: repeats a write that fails, and recognizes a failed condition', async () => {
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

  it('listOrders: streams the list, plain or compressed', async () => {
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

  it('listOrders: breaks off a list that fails half-way, and serves the next request', async () => {
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

describe('a bundle that cannot be loaded', () => {
  it('writes its reason in a log line that the query function-errors finds', async () => {
    const bundle = join(assemblyDirectory(), 'bundles/authorizer');
    await using authorizer = await LambdaProcess.start(bundle, {
      ...functionEnvironment,
      API_KEYS_TABLE: '',
    });

    const lines = (await authorizer.output).split('\n');

    expect(lines.filter((line) => runtimeFailure.test(line))).toEqual([
      expect.stringContaining('The environment variable API_KEYS_TABLE is missing.'),
    ]);
  });
});

function listEvent(encoding: string): object {
  return proxyEvent({ headers: { 'Accept-Encoding': encoding } });
}

/** Eight zero bytes separate the prelude of a streamed response from its body. */
function listOf({ payload }: Report) {
  const end = payload.indexOf(Buffer.alloc(8));
  return { prelude: JSON.parse(payload.toString('utf8', 0, end)), body: payload.subarray(end + 8) };
}
