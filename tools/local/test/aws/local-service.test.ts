import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type LoopbackServer, serve } from '../../../../test/helpers/loopback-server.ts';
import type {
  EmbeddedDynamoDB,
  EmbeddedDynamoDBOptions,
} from '../../aws/dynamodb/embedded-dynamodb.ts';
import type { DynamoDBGuard, GuardOptions } from '../../aws/dynamodb/guard.ts';
import { LocalRunError } from '../../aws/errors.ts';
import type { LocalService } from '../../aws/local-service.ts';
import {
  type Assembly,
  api,
  lambda,
  method,
  proxy,
  type Resources,
  writeAssembly,
} from './small-template.ts';

/* The service with a database and a guard of the test, which take no time to start. */

/** What has been started or closed, in this order. */
let events: string[];
let embeddedOptions: EmbeddedDynamoDBOptions[];
let startEmbedded: () => Promise<void>;
let databaseEnded: PromiseWithResolvers<LocalRunError>;
let settings: GuardOptions[];

jest.unstable_mockModule('../../aws/dynamodb/embedded-dynamodb.ts', () => ({
  startEmbeddedDynamoDB: async (options: EmbeddedDynamoDBOptions): Promise<EmbeddedDynamoDB> => {
    embeddedOptions.push(options);
    await startEmbedded();
    const close = async () => void events.push('database closed');
    const failure = (reason: string) => new LocalRunError(`the database fails (${reason})`);
    return { endpoint: dynamodb.url, ended: databaseEnded.promise, failure, close };
  },
}));
jest.unstable_mockModule('../../aws/dynamodb/guard.ts', () => ({
  startDynamoDBGuard: async (given: GuardOptions): Promise<DynamoDBGuard> => {
    settings.push(given);
    return {
      endpoint: given.endpoint,
      forwardForOperator: async () => {},
      close: async () => void events.push('guard closed'),
    };
  },
}));
const { startLocalService } = await import('../../aws/local-service.ts');
type Options = Parameters<typeof startLocalService>[0];

/** The calls of the database, and how it answers them. */
let calls: unknown[];
let dynamodb: LoopbackServer;
let onCall: RequestListener;
let lines: string[];
let running: LocalService[];
let assembly: Assembly;

beforeEach(async () => {
  events = [];
  embeddedOptions = [];
  startEmbedded = async () => {};
  databaseEnded = Promise.withResolvers();
  settings = [];
  calls = [];
  lines = [];
  running = [];
  assembly = writeAssembly(resources, { Echo: echo }, outputs);
  onCall = isActive;
  dynamodb = await serve(async (call, answer) => {
    calls.push(await json(call));
    onCall(call, answer);
  });
});

afterEach(async () => {
  await Promise.all(running.map((service) => service.close()));
  assembly.remove();
  await dynamodb[Symbol.asyncDispose]();
});

const isActive: RequestListener = (_, answer) =>
  answer.end('{"TableDescription":{"TableStatus":"ACTIVE"}}');

const echo = `exports.handler = async ({ path }) => {
  if (path === '/failing') throw new Error('no luck');
  console.log(process.env.AWS_ENDPOINT_URL_DYNAMODB, process.env.AWS_ACCESS_KEY_ID);
  return { statusCode: 200, body: path };
};`;
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
  ...method('GET /failing', proxy('Echo')),
  Orders: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    },
  },
};

async function start(options: Partial<Options> = {}): Promise<LocalService> {
  const service = await startLocalService({
    templateFile: assembly.templateFile,
    stackName: 'Small',
    log: (line) => lines.push(line),
    ...options,
  });
  running.push(service);
  return service;
}

const get = (service: LocalService, path: string) => fetch(`${service.origin}/test${path}`);
const bodyOf = async (service: LocalService, path: string) => (await get(service, path)).text();

describe('a local service', () => {
  it("creates the tables of its template, and replaces the API's address in its outputs", async () => {
    const service = await start();

    expect(service.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.stage).toBe('test');
    expect(calls).toMatchObject([{ TableName: expect.stringMatching(/^Small-Orders-\w+$/) }]);
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
    const service = await start();

    const statuses = [await get(service, '/unknown'), await get(service, '/failing')];

    const cause = expect.stringMatching(/^gateway: \S+ INTEGRATION_FAILURE: .*'no luck'/s);
    expect(statuses.map(({ status }) => status)).toEqual([403, 502]);
    expect(lines.filter((line) => line.startsWith('gateway'))).toEqual([cause]);
  });

  it('gives each function its own key to the database, and logs its lines with its name', async () => {
    const service = await start();

    expect(await bodyOf(service, '/echo')).toBe('/echo');

    const [{ identities, endpoint }] = settings as [GuardOptions];
    const { accessKeyId } = identities.functions.get('Echo')!;
    const name = /^Small-Echo-\w+/.source;
    expect(lines).toEqual([expect.stringMatching(`${name}: ${endpoint} ${accessKeyId}$`)]);
  });

  it('stops its server, guard and database when it is closed', async () => {
    const service = await start();
    await bodyOf(service, '/echo');

    await service.close();

    expect(events).toEqual(['guard closed', 'database closed']);
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

    const { config } = (await start({ signal })).dynamodb;

    expect(embeddedOptions).toEqual([{ databaseFile: undefined, signal }]);
    expect(settings).toMatchObject([{ endpoint: dynamodb.url }]);
    expect(await config.credentials()).toMatchObject(settings[0]!.identities.operator);
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
});

it('The database is named if it fails while a step of the preparation is not complete', async () => {
  const cause = Object.assign(new Error('database or disk is full'), { $metadata: {} });
  const prepare = () => Promise.reject(new Error('partly created', { cause }));

  const starting = start({ prepare });

  await expect(starting).rejects.toThrow('the database fails (database or disk is full)');
});

describe('the start of a local service', () => {
  const calledOff = new LocalRunError('called off');

  it.each<[string, (stop: AbortController) => Partial<Options>]>([
    [
      'its database ends',
      () => ({
        prepare: () => {
          databaseEnded.resolve(calledOff);
          return new Promise(() => {});
        },
      }),
    ],
    ['its preparation fails', () => ({ prepare: () => Promise.reject(calledOff) })],
    [
      'it is aborted while its tables are made',
      (stop) => {
        onCall = (call, answer) => {
          stop.abort(calledOff);
          isActive(call, answer);
        };
        return { prepare: () => Promise.reject(new Error('is not reached')) };
      },
    ],
    [
      'it is aborted while it is prepared',
      (stop) => ({
        prepare: async () => {
          stop.abort(calledOff);
          return [];
        },
      }),
    ],
  ])('ends what has been started if %s', async (_, options) => {
    const stop = new AbortController();

    const starting = start({ signal: stop.signal, ...options(stop) });

    await expect(starting).rejects.toThrow(calledOff);
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
