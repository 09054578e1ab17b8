import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type LoopbackServer, serve } from '../../../test/helpers/loopback-server.ts';
import type { EmbeddedDynamoDB, EmbeddedDynamoDBOptions } from '../dynamodb/embedded-dynamodb.ts';
import type { DynamoDBGuard, GuardOptions } from '../dynamodb/guard.ts';
import { LocalRunError } from '../errors.ts';
import type { ExecutionEnvironment } from '../functions/execution-environment.ts';
import type { LocalService } from '../server.ts';
import {
  type Assembly,
  api,
  lambda,
  method,
  mock,
  proxy,
  type Resources,
  writeAssembly,
} from './small-template.ts';

/* The service with a database, a guard and functions of the test, which take no time to start. */

/** What has been started or closed, in this order. */
let events: string[];
let embeddedOptions: EmbeddedDynamoDBOptions[];
let startEmbedded: () => Promise<void>;
let databaseEnded: PromiseWithResolvers<LocalRunError>;
let settings: GuardOptions[];

jest.unstable_mockModule('../dynamodb/embedded-dynamodb.ts', () => ({
  startEmbeddedDynamoDB: async (options: EmbeddedDynamoDBOptions): Promise<EmbeddedDynamoDB> => {
    embeddedOptions.push(options);
    await startEmbedded();
    const close = async () => void events.push('database closed');
    const failure = (reason: string) => new LocalRunError(`the database fails (${reason})`);
    return { endpoint: dynamodb.url, ended: databaseEnded.promise, failure, close };
  },
}));
jest.unstable_mockModule('../dynamodb/guard.ts', () => ({
  startDynamoDBGuard: async (given: GuardOptions): Promise<DynamoDBGuard> => {
    settings.push(given);
    return {
      endpoint: given.endpoint,
      forwardForOperator: async () => {},
      close: async () => void events.push('guard closed'),
    };
  },
}));
jest.unstable_mockModule('../functions/execution-environment.ts', () => ({
  /** It answers with its function's folder, if that is not broken; at `/slow`, after its time. */
  ExecutionEnvironment: class implements Partial<ExecutionEnvironment> {
    readonly #parameters: ConstructorParameters<typeof ExecutionEnvironment>;

    constructor(...parameters: ConstructorParameters<typeof ExecutionEnvironment>) {
      this.#parameters = parameters;
    }

    get codeDirectory() {
      return this.#parameters[0].codeDirectory;
    }

    started = Promise.resolve(undefined);
    isServing = () => false;
    stop = async () => {
      events.push('environment stopped');
      this.#parameters[1].onEnd();
    };
    invoke: ExecutionEnvironment['invoke'] = async ({ event }, onFinished) => {
      const { codeDirectory: body } = this;
      this.#parameters[1].log('invoked');
      if (JSON.parse(event).path === '/slow') await sleep(200);
      queueMicrotask(onFinished);
      if (body === '/broken') return { error: { errorType: 'Error', errorMessage: 'no build' } };
      return { payload: JSON.stringify({ statusCode: 200, body }) };
    };
  },
}));
const { startLocalService } = await import('../server.ts');
type Options = Parameters<typeof startLocalService>[0];

/** The calls of the database, and how it answers them. */
let calls: { readonly TableName: string }[];
let dynamodb: LoopbackServer;
let onCall: RequestListener;
let lines: string[];
let running: LocalService[];
let assemblies: Assembly[];

beforeEach(async () => {
  events = [];
  embeddedOptions = [];
  startEmbedded = async () => {};
  databaseEnded = Promise.withResolvers();
  settings = [];
  calls = [];
  lines = [];
  running = [];
  assemblies = [];
  onCall = (_, answer) => answer.end('{"TableDescription":{"TableStatus":"ACTIVE"}}');
  dynamodb = await serve(async (call, answer) => {
    calls.push((await json(call)) as { TableName: string });
    onCall(call, answer);
  });
});

afterEach(async () => {
  await Promise.all(running.map((service) => service.close()));
  for (const assembly of assemblies) assembly.remove();
  await dynamodb[Symbol.asyncDispose]();
});

const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  },
};

const joined = (...parts: unknown[]) => ({ Value: { 'Fn::Join': ['', parts] } });
const outputs = {
  Url: joined(
    'https://',
    { Ref: 'Api' },
    '.execute-api.',
    { Ref: 'AWS::Region' },
    '.amazonaws.com/a',
  ),
  UrlInRegion: joined('https://', { Ref: 'Api' }, '.execute-api.eu-west-3.amazonaws.com/b'),
  Place: joined({ Ref: 'AWS::AccountId' }, ' ', { Ref: 'AWS::StackName' }),
};
const resources: Resources = {
  ...api,
  ...lambda('Echo'),
  ...method('GET /echo', proxy('Echo')),
  ...method('GET /slow', proxy('Echo', { TimeoutInMillis: 150 })),
  ...method('GET /metered', { ...mock(), ApiKeyRequired: true }),
  Plan: {
    Type: 'AWS::ApiGateway::UsagePlan',
    Properties: {
      ApiStages: [{ ApiId: { Ref: 'Api' }, Stage: { Ref: 'Stage' } }],
      Quota: { Limit: 2, Period: 'DAY' },
    },
  },
  Orders: table,
};

function assemble(own: Resources = resources): Assembly {
  const assembly = writeAssembly(own, { Echo: '' }, outputs);
  assemblies.push(assembly);
  return assembly;
}

async function start(options: Partial<Options> = {}): Promise<LocalService> {
  const service = await startLocalService({
    templateFile: options.templateFile ?? assemble().templateFile,
    stackName: 'Small',
    log: (line) => lines.push(line),
    ...options,
  });
  running.push(service);
  return service;
}

const get = (service: LocalService, path: string, init: RequestInit = {}) =>
  fetch(`${service.origin}/test${path}`, init);
const bodyOf = async (service: LocalService, path: string) => (await get(service, path)).text();
const tableNames = () => calls.map(({ TableName }) => TableName);

describe('a local service', () => {
  it("creates the tables of its template, and replaces the API's address in its outputs", async () => {
    const service = await start();

    expect(service.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.stage).toBe('test');
    expect(tableNames()).toEqual([expect.stringMatching(/^Small-Orders-\w+$/)]);
    expect(service.outputs).toEqual({
      Url: `${service.origin}/a`,
      UrlInRegion: `${service.origin}/b`,
      Place: '000000000000 Small',
    });
  });

  it('asks the given handlers before the gateway, and reports the requests that the gateway has answered', async () => {
    const targets: string[] = [];
    const service = await start({
      prepare: async () => [
        (incoming, outgoing) => {
          const isPage = incoming.url === '/test/page';
          if (isPage) outgoing.end('a page');
          return isPage;
        },
      ],
      onAnswered: ({ target }) => targets.push(target),
    });

    expect(await bodyOf(service, '/page')).toBe('a page');
    await bodyOf(service, '/echo');

    expect(targets).toEqual(['/test/echo']);
  });

  it('logs why a function failed, but not why a request was refused', async () => {
    const service = await start({ codeOf: () => '/broken' });

    const statuses = [await get(service, '/metered'), await get(service, '/echo')];

    const cause = expect.stringMatching(/^gateway: \S+ INTEGRATION_FAILURE: .*'no build'/);
    expect(statuses.map(({ status }) => status)).toEqual([403, 502]);
    expect(lines.filter((line) => line.startsWith('gateway'))).toEqual([cause]);
  });

  it.each([
    ['has time limits', true, 504],
    ['has no time limits if a debugger may pause it', false, 200],
  ])('%s', async (_, hasTimeLimits, status) => {
    const service = await start({ hasTimeLimits });

    expect((await get(service, '/slow')).status).toBe(status);
  });

  it('stops its server, functions, guard and database when it is closed', async () => {
    const service = await start();
    await bodyOf(service, '/echo');

    await service.close();

    expect(events).toEqual(['environment stopped', 'guard closed', 'database closed']);
    await expect(fetch(service.origin)).rejects.toThrow();
  });

  it('reports that its database has ended', async () => {
    const service = await start();

    databaseEnded.resolve(new LocalRunError('has ended'));

    expect((await service.failed).message).toBe('has ended');
  });
});

describe('the database of a local service', () => {
  it('is started with it, in memory', async () => {
    const { signal } = new AbortController();

    const { dynamodbEndpoint, operatorAccessKeyId } = await start({ signal });

    expect(embeddedOptions).toEqual([{ databaseFile: undefined, signal }]);
    expect(settings).toMatchObject([{ endpoint: dynamodb.url }]);
    expect(dynamodbEndpoint).toBe(dynamodb.url);
    expect(operatorAccessKeyId).toBe(settings[0]!.identities.operator.accessKeyId);
  });

  const refuses: RequestListener = (_, answer) => {
    answer.writeHead(400).end('{"__type":"x#ValidationException","message":"disk I/O error"}');
  };

  it.each<[string, () => Partial<Options>, string]>([
    [
      'by its address without the password',
      () => ({ dynamodbEndpoint: dynamodb.url.replace('//', '//user:secret@') }),
      'DYNAMODB_ENDPOINT: ADDRESS fails (disk I/O error): check the server, correct the address, or unset the variable',
    ],
    ['as the embedded one', () => ({}), 'the database fails (disk I/O error)'],
  ])('is named %s if it fails', async (_, options, message) => {
    onCall = refuses;

    const starting = start(options());

    await expect(starting).rejects.toMatchObject({
      name: 'LocalRunError',
      message: message.replace('ADDRESS', dynamodb.url),
    });
    expect(embeddedOptions).toHaveLength(message.startsWith('DYNAMODB') ? 0 : 1);
  });

  it.each<[string, (prepared: PromiseWithResolvers<never>) => void, string]>([
    [
      'its database ends',
      () => databaseEnded.resolve(new LocalRunError('dynoxide ended')),
      'dynoxide ended',
    ],
    ['its preparation fails', (prepared) => prepared.reject(new Error('no orders')), 'no orders'],
  ])('stops the start when %s', async (_, act, message) => {
    const prepared = Promise.withResolvers<never>();

    const starting = start({
      prepare: () => {
        act(prepared);
        return prepared.promise;
      },
    });

    await expect(starting).rejects.toThrow(message);
    expect(events).toEqual(['guard closed', 'database closed']);
  });
});

describe('the start of a local service', () => {
  it.each<[string, (stop: AbortController) => Partial<Options>]>([
    [
      'while its tables are made',
      (stop) => {
        onCall = (_, answer) => {
          stop.abort(new Error('called off'));
          answer.end('{"TableDescription":{"TableStatus":"ACTIVE"}}');
        };
        return { prepare: () => Promise.reject(new Error('is not reached')) };
      },
    ],
    [
      'while it is prepared',
      (stop) => ({
        prepare: async () => {
          stop.abort(new Error('called off'));
          return [];
        },
      }),
    ],
  ])('can be aborted %s', async (_, options) => {
    const stop = new AbortController();

    const starting = start({ signal: stop.signal, ...options(stop) });

    await expect(starting).rejects.toThrow('called off');
    expect(events).toEqual(['guard closed', 'database closed']);
  });

  it('leaves nothing running if the template fails before the database has started', async () => {
    const starting = Promise.withResolvers<void>();
    startEmbedded = () => starting.promise;

    const failing = start({ templateFile: Promise.reject(new Error('no template')) });
    setImmediate(starting.resolve);

    await expect(failing).rejects.toThrow('no template');
    expect(events).toEqual(['database closed']);
  });
});
