import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import type { Context } from 'aws-lambda';
import { build } from 'esbuild';
import { bundlingOptions } from '../../../lib/functions/bundling.ts';
import { knownErrors } from '../../../lib/functions/sdk-modules.ts';
import { loadConfig } from '../../../lib/functions/stubs/config-loader.ts';
import { defaultEndpointResolver } from '../../../lib/functions/stubs/endpoint-resolver.ts';
import { getHttpOperationBindings } from '../../../lib/functions/stubs/http-bindings.ts';
import { handlerEntries } from '../../../lib/settings/functions.ts';
import { type CapturedLines, captureLines, type Line } from '../../helpers/captured-lines.ts';
import {
  contentType,
  DynamodbProxy,
  lost,
  type Reply,
} from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { cancelEvent, lambdaContext } from '../../helpers/functions/events.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';
import { assemblyDirectory } from '../../helpers/synthesized.ts';

type Handler = (event: object, context: Context) => Promise<{ statusCode: number }>;

const root = join(import.meta.dirname, '../../..');
const require = createRequire(import.meta.url);
const fixedUuid = '6f1d3c3a-0000-4000-8000-00000000000a' as const;
const allButDate = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;
const patience = 20;
const nowMs = Date.UTC(2026, 10, 21, 12);
const hourAheadMs = nowMs + 3_600_000;

/** A reply whose `Date` header, by which the SDK corrects its clock, does not depend on the time. */
function reply(status: number, body: object | string, headers: object = {}, dateMs = nowMs): Reply {
  const date = new Date(dateMs).toUTCString();
  return ({ outgoing }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    outgoing.writeHead(status, { ...contentType, date, ...headers }).end(text);
  };
}

const failure = (name: string, rest: object = {}, status = 400) =>
  reply(status, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...rest });
const done = reply(200, {
  Attributes: { status: { S: 'cancelled' }, cancelRequestId: { S: fixedUuid } },
});
const shipped = { Item: { status: { S: 'shipped' }, id: { N: '7' }, tags: { L: [{ S: 'a' }] } } };

/** What DynamoDB replies to the attempts at one write, and the status that the client gets. */
const exchanges: readonly (readonly [name: string, status: number, replies: readonly Reply[]])[] = [
  ['success', 204, [done]],
  ['a failed condition', 409, [failure('ConditionalCheckFailedException', shipped)]],
  ['a failed condition without an item', 404, [failure('ConditionalCheckFailedException')]],
  ['throttling', 204, [failure('ThrottlingException'), done]],
  [
    'throttling of every attempt',
    503,
    [
      failure('ProvisionedThroughputExceededException', { ThrottlingReasons: [{ reason: 'x' }] }),
      failure('RequestLimitExceeded'),
    ],
  ],
  ['a lost answer', 204, [lost, done]],
  ['a failure', 204, [failure('InternalServerError', {}, 500), done]],
  ['failures with a time to retry at', 503, Array(2).fill(failure('ServiceUnavailable', {}, 503))],
  [
    'a time to retry at',
    204,
    [reply(503, '{}', { 'retry-after': new Date(hourAheadMs).toUTCString() }), done],
  ],
  ['HTML in place of JSON', 503, Array(2).fill(reply(502, '<html>Bad gateway</html>'))],
  ['an empty body', 503, Array(2).fill(reply(500, ''))],
  [
    'a clock that is wrong',
    204,
    [
      reply(
        400,
        { __type: 'InvalidSignatureException', message: 'Signature expired' },
        {},
        hourAheadMs,
      ),
      done,
    ],
  ],
  ['another conflict', 503, [failure('TransactionConflictException')]],
  ['a limit', 503, [failure('LimitExceededException'), failure('LimitExceededException')]],
  ['a missing table', 500, [failure('ResourceNotFoundException')]],
  ['an invalid request', 500, [failure('ValidationException')]],
  ['a missing permission', 500, [reply(400, { __type: 'AccessDeniedException', Message: 'no' })]],
  ['expired credentials', 500, [failure('ExpiredTokenException')]],
  ['an error that the SDK does not know', 500, [failure('NewlyInventedException')]],
  ['an error named in a header', 500, [reply(400, '{}', { 'x-amzn-errortype': 'Odd:http://x' })]],
];

describe('a bundle without parts of the SDK', () => {
  let dynamodb: DynamodbProxy;
  let captured: CapturedLines;
  let deployed: Handler;
  let whole: Handler;

  beforeAll(async () => {
    dynamodb = await DynamodbProxy.start(lost);
    Object.assign(process.env, functionEnvironment, {
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
      // The whole SDK would read the files of whoever runs this test.
      AWS_CONFIG_FILE: 'none',
      AWS_SHARED_CREDENTIALS_FILE: 'none',
    });
    deployed = handlerOf(readFileSync(bundleFile, 'utf8'));
    whole = handlerOf(await bundleWithWholeSdk());
  });

  beforeEach(() => {
    captured = captureLines();
    // The delays before the repetitions are drawn at random, up to this share of the longest.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    jest.spyOn(globalThis.crypto, 'randomUUID').mockReturnValue(fixedUuid);
    waitLonger();
    // The signature depends on the time.
    jest.useFakeTimers({ now: nowMs, doNotFake: [...allButDate] });
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    captured.release();
  });

  afterAll(() => dynamodb[Symbol.asyncDispose]());

  it.each(exchanges)(
    'sends, signs, repeats, answers and logs as with the whole SDK: %s',
    async (_name, status, replies) => {
      const withWholeSdk = await exchange(whole, replies);
      const withoutParts = await exchange(deployed, replies);

      expect(withoutParts).toEqual(withWholeSdk);
      expect(withoutParts.answer).toMatchObject({ statusCode: status });
      expect(withoutParts.requests).toHaveLength(replies.length);
    },
  );

  async function exchange(handler: Handler, replies: readonly Reply[]) {
    const remaining = [...replies];
    const requests: object[] = [];
    const before = captured.lines().length;
    dynamodb.reply = (call) => {
      const { method, url, headers } = call.incoming;
      requests.push({ method, url, headers, body: call.body.toString() });
      return (remaining.shift() ?? lost)(call);
    };
    const answer = await handler(cancelEvent('7'), lambdaContext());
    return { answer, requests, log: captured.lines().slice(before).map(withoutStacks) };
  }
});

const bundleFile = join(assemblyDirectory(), 'bundles/cancelOrder/index.js');

async function bundleWithWholeSdk(): Promise<string> {
  const { outputFiles } = await build({
    ...bundlingOptions,
    plugins: [],
    entryPoints: [handlerEntries.cancelOrder],
    sourcemap: false,
    write: false,
  });
  return outputFiles![0]!.text;
}

/** A busy machine may take longer for an answer than the functions wait. */
function waitLonger(): void {
  const { setTimeout: setTimer } = globalThis;
  const setLater = (run: () => void, delayMs = 0) => setTimer(run, patience * delayMs);
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(setLater as typeof setTimer);
  jest.spyOn(Socket.prototype, 'setTimeout').mockReturnThis();
}

function handlerOf(code: string): Handler {
  const module = { exports: {} as { handler: Handler } };
  const crypto = { ...require('node:crypto'), randomUUID: () => fixedUuid };
  const requireFixed = (name: string) => (name === 'node:crypto' ? crypto : require(name));
  new Function('module', 'require', code)(module, requireFixed);
  return module.exports.handler;
}

/** A log line without the stacks of errors, which name positions in a file. */
function withoutStacks(line: Line): Line {
  return JSON.parse(JSON.stringify(line, (key, value) => (key === 'stack' ? undefined : value)));
}

it('the classes of all errors that the functions ask for are kept', () => {
  const files = globSync('lambdas/**/*.ts', { cwd: root }).map((file) => join(root, file));
  const code = files.map((file) => readFileSync(file, 'utf8')).join('\n');

  const classes = [...code.matchAll(/instanceof (\w+Exception)\b/g)].map(([, name]) => name);

  expect(classes).not.toEqual([]);
  expect(knownErrors).toEqual([...new Set(classes)]);
});

describe('the endpoint', () => {
  const regions = [
    ...['us-east-1', 'eu-central-1', 'il-central-1', 'mx-central-1', 'us-gov-west-1'],
    ...['cn-north-1', 'cn-northwest-1', 'eusc-de-east-1'],
    ...['us-iso-east-1', 'us-isob-east-1', 'eu-isoe-west-1', 'us-isof-south-1'],
  ];

  it.each(regions)('is the same as that of the whole SDK in %s', (Region) => {
    const { config } = new DynamoDBClient({ region: Region });
    const parameters = {
      Region,
      UseFIPS: false,
      UseDualStack: false,
      AccountIdEndpointMode: 'disabled',
    };

    const { url } = defaultEndpointResolver(parameters);

    expect(url.href).toBe(config.endpointProvider(parameters).url.href);
  });

  it('is the configured one, if there is one', () => {
    const { url } = defaultEndpointResolver({
      Region: 'eu-central-1',
      Endpoint: 'http://local:1/',
    });

    expect(url.href).toBe('http://local:1/');
  });

  it.each(['UseFIPS', 'UseDualStack'])('is refused with %s', (kind) => {
    expect(() => defaultEndpointResolver({ Region: 'us-east-1', [kind]: true })).toThrow(
      /left out/,
    );
  });
});

describe('a setting that is not given in code', () => {
  const setting = {
    environmentVariableSelector: ({ SOME_SETTING }: NodeJS.ProcessEnv) => SOME_SETTING,
  };

  afterEach(() => {
    delete process.env.SOME_SETTING;
  });

  it('is that of the environment', async () => {
    process.env.SOME_SETTING = 'given';

    expect(await loadConfig({ ...setting, default: 'preset' })()).toBe('given');
  });

  it.each([
    ['value', 'preset'],
    ['function', async () => 'preset'],
  ])('has a %s as its default', async (_kind, preset) => {
    expect(await loadConfig({ ...setting, default: preset })()).toBe('preset');
  });
});

it('an operation whose schema has traits is refused, because they would be ignored', () => {
  expect(getHttpOperationBindings({ name: 'Plain', traits: 0 })).toEqual([]);
  expect(() => getHttpOperationBindings({ name: 'Odd', traits: { endpoint: ['x.'] } })).toThrow(
    'Odd has traits',
  );
});
