import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GuardThread } from '../../local/dynamodb/guard-thread.ts';
import { createIdentities, type Identities } from '../../local/dynamodb/identities.ts';
import { localRegion } from '../../local/dynamodb/local-region.ts';
import { GatewayFault } from '../../local/exchange/gateway-fault.ts';
import type { StartEnvironment } from '../../local/functions/execution-environment.ts';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import { RunningApi } from '../../local/running-api.ts';
import type { DataDirectory } from '../../local/state/data-directory.ts';
import { GatewayState } from '../../local/state/gateway-state.ts';
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
/** What the guard was given. */
let guarded: Identities[];
/** Holds back the answers of the guard. */
let guardReady: Promise<void>;
let written: unknown[];
let state: GatewayState;
let identities: Identities;
let running: RunningApi;

beforeEach(() => {
  assemblies = [];
  lines = [];
  started = [];
  stopped = [];
  guarded = [];
  guardReady = Promise.resolve();
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
  const guard = {
    replaceIdentities: (given) => {
      guarded.push(given);
      return guardReady;
    },
  } as Partial<GuardThread> as GuardThread;
  state = new GatewayState(directory, () => {});
  identities = createIdentities(first.template);
  return new RunningApi(first, {
    dynamodbEndpoint: 'http://guard.example',
    identities,
    guard,
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

  it('goes on with the keys and the counts of an earlier run', async () => {
    const { controlPlane } = running;
    const { id: keyId, value } = controlPlane.createApiKey({ enabled: true });
    const [plan] = controlPlane.getUsagePlans();
    controlPlane.createUsagePlanKey({ usagePlanId: plan!.id, keyId });
    const first = await statusOf('/metered', value);
    state.close();
    await running.close();

    running = run(written.at(-1));

    expect([first, await statusOf('/metered', value)]).toEqual([200, 429]);
  });

  it('stops its environments when it is closed', async () => {
    await codesOf();

    await running.close();

    expect(stopped).toEqual(['One first', 'Two first']);
  });
});

describe('a running API whose code is replaced', () => {
  it('runs the new code, and that of all other functions as before', async () => {
    await codesOf();
    const code = new Map([
      ['One', version('second').folderOf('One')],
      ['Unknown', 'nowhere'],
    ]);

    await running.replaceFunctionCode(Promise.resolve(code));

    expect(await codesOf()).toEqual(['second', 'first']);
    expect(started).toEqual(['One first', 'Two first', 'One second']);
  });

  it.each([
    ['that does not come', () => Promise.reject(new Error('broken'))],
    ['that cannot be loaded', async () => new Map([['One', version('broken').folderOf('One')]])],
  ])('keeps its code in place of one %s, and can be changed again', async (_, code) => {
    await expect(running.replaceFunctionCode(code())).rejects.toThrow('broken');
    const before = await codesOf();

    await running.replaceTemplate(version('second'));

    expect([before, await codesOf()]).toEqual([
      ['first', 'first'],
      ['second', 'second'],
    ]);
  });
});

describe('a running API whose template is replaced', () => {
  const three = functionAt('/three', 'Three');

  it('has the routes, functions, credentials and usage plans of the new one', async () => {
    const { controlPlane } = running;
    const Other: Resources[string] = { Type: 'AWS::ApiGateway::UsagePlan' };
    const before = await statusOf('/three');

    await running.replaceTemplate(version('second', { ...three, Other }));

    const { code, variables } = await send('/three');
    const { credentials } = guarded.at(-1)!.functions.get('Three')!;
    expect([before, code]).toEqual([403, 'second']);
    expect(variables).toMatchObject({ AWS_ACCESS_KEY_ID: credentials.accessKeyId });
    expect(controlPlane.getUsagePlans().map(({ name }) => name)).toEqual(['Plan', 'Other']);
  });

  it('starts functions anew whose code or settings are others than those that run', async () => {
    const { template, assetsManifestFile } = version('second');
    await running.replaceTemplate({ template, assetsManifestFile });
    const third = new Map([['Two', version('third').folderOf('Two')]]);
    await running.replaceFunctionCode(Promise.resolve(third));
    started.length = 0;

    await running.replaceTemplate({ template, assetsManifestFile });

    expect(started).toEqual(['Two second']);
    expect(await codesOf()).toEqual(['second', 'second']);
  });

  it('stays as it is where a function of the new one cannot be loaded', async () => {
    await expect(running.replaceTemplate(version('broken', three))).rejects.toThrow('broken');

    expect(guarded.at(-1)).toBe(identities);
    expect(await statusOf('/three')).toBe(403);
    expect(await codesOf()).toEqual(['first', 'first']);
  });

  it('waits with that for an earlier change', async () => {
    const code = Promise.withResolvers<Map<string, string>>();
    const earlier = running.replaceFunctionCode(code.promise);

    const later = running.replaceTemplate(version('second'));
    await turn();
    const beforeThat = [...guarded];
    code.resolve(new Map([['One', version('code').folderOf('One')]]));
    await Promise.all([earlier, later]);

    expect(beforeThat).toEqual([]);
    expect(await codesOf()).toEqual(['second', 'second']);
  });

  it('takes the code of a function that the new one has brought', async () => {
    const guard = Promise.withResolvers<void>();
    guardReady = guard.promise;
    const earlier = running.replaceTemplate(version('second', three));

    const code = new Map([['Three', version('third').folderOf('Three')]]);
    const later = running.replaceFunctionCode(Promise.resolve(code));
    await turn();
    guard.resolve();
    await Promise.all([earlier, later]);

    expect((await send('/three')).code).toBe('third');
  });
});
