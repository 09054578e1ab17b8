import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createIdentities, type Identities } from '../dynamodb/identities.ts';
import { localRegion } from '../dynamodb/local-client.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { StartEnvironment } from '../functions/execution-environment.ts';
import type { LambdaFunction } from '../functions/lambda-functions.ts';
import { type RunningApi, runApi } from '../running-api.ts';
import type { DataDirectory } from '../state/data-directory.ts';
import { GatewayState } from '../state/gateway-state.ts';
import {
  type Assembly,
  api,
  createRawRequest,
  createTemplate,
  lambda,
  method,
  proxy,
  type Resources,
  writeAssembly,
} from './small-template.ts';

const functionAt = (path: string, name: string): Resources => ({
  ...lambda(name),
  ...method(`GET ${path}`, proxy(name)),
});
const resources: Resources = {
  ...api,
  ...functionAt('/one', 'One'),
  ...functionAt('/two', 'Two'),
  ...method('GET /metered', { ...proxy('One'), ApiKeyRequired: true }),
  Plan: {
    Type: 'AWS::ApiGateway::UsagePlan',
    Properties: {
      ApiStages: [{ ApiId: { Ref: 'Api' }, Stage: { Ref: 'Stage' } }],
      Quota: { Limit: 1, Period: 'DAY' },
    },
  },
};

let assemblies: Assembly[];
let lines: string[];
/** What each environment was started for: a function and its code. */
let started: string[];
let stopped: string[];
let written: unknown[];
let state: GatewayState;
let identities: Identities;
let running: RunningApi;

beforeEach(() => {
  assemblies = [];
  lines = [];
  started = [];
  stopped = [];
  written = [];
  running = run();
});

afterEach(async () => {
  await running.close();
  for (const { remove } of assemblies) remove();
});

/** An environment that answers with its code and its variables. It cannot load the code `broken`. */
const startEnvironment: StartEnvironment = ({ logicalId, codeDirectory }, { variables }) => {
  const code = readFileSync(join(codeDirectory, 'index.js'), 'utf8');
  const name = `${logicalId} ${code}`;
  started.push(name);
  return {
    started: async () =>
      code === 'broken' ? { errorType: 'Error', errorMessage: code } : undefined,
    invoke: async (_, onFinished) => {
      onFinished();
      return { payload: JSON.stringify({ body: JSON.stringify({ code, variables }) }) };
    },
    stop: async () => {
      stopped.push(name);
    },
  };
};

/** A template, with functions that have all the same code. */
function version(code: string, other: Resources = {}) {
  const all = { ...resources, ...other };
  const assembly = writeAssembly(all, { One: code, Two: code, Three: code });
  assemblies.push(assembly);
  const { directory, assetsManifestFile } = assembly;
  const folderOf = (name: string) => join(directory, `asset.${name}`);
  return { template: createTemplate(all), assetsManifestFile, folderOf };
}

/** Runs the first version. @param stored the state that an earlier run has left */
function run(stored?: unknown, codeOf?: (lambda: LambdaFunction) => string | undefined) {
  const first = version('first');
  const directory = {
    read: () => stored,
    write: (_, value) => {
      written.push(structuredClone(value));
    },
  } as Partial<DataDirectory> as DataDirectory;
  state = new GatewayState(directory);
  identities = createIdentities(first.template);
  return runApi({
    ...first,
    dynamodbEndpoint: 'http://guard.example',
    identities,
    state,
    now: () => 1_700_000_000_000,
    log: (line) => lines.push(line),
    logFunction: () => {},
    startEnvironment,
    codeOf,
  });
}

async function statusOf(path: string, apiKey = '') {
  const request = createRawRequest({ target: `/test${path}`, headers: [['X-API-Key', apiKey]] });
  const { statusCode } = await running.gateway.answer(request);
  return statusCode;
}

async function send(path: string) {
  const { body } = await running.gateway.answer(createRawRequest({ target: `/test${path}` }));
  return JSON.parse(String(body));
}

const codesOf = async () => [(await send('/one')).code, (await send('/two')).code];

describe('a running API', () => {
  it('invokes its functions with their credentials and the address of the database', async () => {
    const { code, variables } = await send('/one');

    const { credentials } = identities.functions.get('One')!;
    expect(code).toBe('first');
    expect(variables).toEqual({
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SESSION_TOKEN: 'local',
      AWS_REGION: localRegion,
      AWS_DEFAULT_REGION: localRegion,
      AWS_ENDPOINT_URL_DYNAMODB: 'http://guard.example',
    });
  });

  it('runs the code that its caller has for a function, or else that of the template', async () => {
    const own = version('own');
    const codeOf = ({ logicalId }: LambdaFunction) =>
      logicalId === 'One' ? own.folderOf(logicalId) : undefined;

    running = run(undefined, codeOf);

    expect(await codesOf()).toEqual(['own', 'first']);
  });

  it.each<[string, unknown, RegExp]>([
    ['an error with its stack', new TypeError('no'), /^TypeError: no\n +at /],
    ['an error without one', Object.assign(new Error('no'), { stack: undefined }), /^no$/],
    ['a text', 'no', /^no$/],
    ['anything else', { errorType: 'No' }, /^\{"errorType":"No"\}$/],
  ])('logs why a request failed: %s', (_, cause, expected) => {
    const fault = new GatewayFault('DEFAULT_5XX', { cause });

    const { headers } = running.gateway.answerFault(fault, createRawRequest());

    const start = `gateway: ${new Map(headers).get('x-amzn-RequestId')} DEFAULT_5XX: `;
    expect(lines).toEqual([expect.stringContaining(start)]);
    expect(lines[0]?.slice(start.length)).toMatch(expected);
  });

  it('logs nothing of a request that is refused without a cause', async () => {
    expect(await statusOf('/metered')).toBe(403);
    expect(lines).toEqual([]);
  });

  it('goes on with the keys of an earlier run', async () => {
    const { value } = running.controlPlane.createApiKey({ enabled: true });
    await running.close();

    running = run(written.at(-1));

    expect(running.controlPlane.findKey(value)).toMatchObject({ isEnabled: true });
  });

  it('stops its environments when it is closed', async () => {
    await codesOf();

    await running.close();

    expect(stopped).toEqual(['One first', 'Two first']);
  });
});

describe('a running API whose code is replaced', () => {
  it('runs the new code, and that of all other functions as before', async () => {
    const before = await codesOf();

    await running.replaceFunctionCode(
      Promise.resolve(new Map([['One', version('second').folderOf('One')]])),
    );

    expect([before, await codesOf()]).toEqual([
      ['first', 'first'],
      ['second', 'first'],
    ]);
  });
});
