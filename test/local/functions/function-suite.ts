import { afterEach, describe, expect, it } from '@jest/globals';
import type { StartEnvironment } from '../../../local/functions/execution-environment.ts';
import {
  counting,
  errorOf,
  FunctionUnderTest,
  type Invoked,
  payloadOf,
} from './function-under-test.ts';

const exited = (how: string) => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: request-1 Error: Runtime ${how}`,
});
const never = 'await new Promise(() => {});';

/** Invokes a function again when a busy machine has made its time pass. */
async function inTime(invoke: () => Invoked): Promise<Awaited<Invoked>> {
  let result: Awaited<Invoked>;
  do result = await invoke();
  while ('error' in result && result.error.errorType === 'Sandbox.Timedout');
  return result;
}

/**
 * What a function meets in an execution environment, and what its caller gets. One suite for all
 * kinds of environment, so that what one does, the other does too, in the same words.
 */
export function describeFunctions(environment: string, startEnvironment?: StartEnvironment): void {
  const tested = new FunctionUnderTest(startEnvironment);
  const prepare: FunctionUnderTest['prepare'] = (...parameters) => tested.prepare(...parameters);

  describe(`a function in ${environment}`, () => {
    afterEach(() => tested.close());

    it('gets the event and returns JSON', async () => {
      const invoke = prepare('exports.handler = async (event) => ({ got: event });');

      expect(await payloadOf(invoke({ a: 1 }))).toEqual({ got: { a: 1 } });
    });

    it('that returns nothing returns null', async () => {
      expect(await payloadOf(prepare('exports.handler = () => {};')())).toBeNull();
    });

    it('gets a context', async () => {
      const invoke = prepare(
        `exports.handler = async (_, { xRayTraceId, ...context }) => ({
        ...context, remaining: context.getRemainingTimeInMillis(),
      });`,
        { lambda: { timeoutMs: 60_000 } },
      );

      const context = await payloadOf(invoke());

      expect(context).toEqual({
        awsRequestId: 'request-1',
        functionName: 'fn',
        functionVersion: '$LATEST',
        invokedFunctionArn: 'arn:fn:live',
        logGroupName: '/aws/lambda/fn',
        logStreamName: expect.stringMatching(/^local\//),
        memoryLimitInMB: '128',
        remaining: expect.any(Number),
      });
      expect(context.remaining).toBeGreaterThan(30_000);
      expect(context.remaining).toBeLessThanOrEqual(60_000);
    });

    it('has the environment variables of its own, of Lambda, and no others', async () => {
      const invoke = prepare('exports.handler = async () => process.env;');

      const { AWS_LAMBDA_RUNTIME_API, ...variables } = await payloadOf(invoke());

      expect(variables).toEqual({
        AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
        AWS_LAMBDA_FUNCTION_NAME: 'fn',
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
        AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/fn',
        AWS_LAMBDA_LOG_STREAM_NAME: expect.stringMatching(/^local\//),
        AWS_REGION: 'eu-central-1',
        LAMBDA_TASK_ROOT: expect.stringMatching(/^\//),
        OWN: 'value',
        TZ: ':UTC',
        _HANDLER: 'index.handler',
      });
    });

    it('has what it writes to its outputs handed on, line by line', async () => {
      const invoke = prepare(`exports.handler = async () => {
        process.stdout.write('one\\ntwo\\n'); process.stderr.write('three\\n');
      };`);

      await invoke();
      for (const text of ['one', 'two', 'three']) await tested.logged(text);

      expect(tested.lines.toSorted()).toEqual(['fn: one', 'fn: three', 'fn: two']);
    });

    it('may be an export of an export, in a file of its own', async () => {
      const invoke = prepare('exports.api = { list: async () => 1 };', {
        lambda: { handler: 'index.api.list' },
      });

      expect(await payloadOf(invoke())).toBe(1);
    });

    it('is loaded as CommonJS, as below /var/task', async () => {
      const invoke = prepare(`
        const { join } = require('node:path');
        module.exports.handler = async () => [typeof module, __dirname === join(__filename, '..')];
      `);

      expect(await payloadOf(invoke())).toEqual(['object', true]);
    });

    it.each([
      ['throws', "throw new TypeError('oops')", { errorType: 'TypeError', errorMessage: 'oops' }],
      ['rejects with a text', "throw 'oops'", { errorType: 'string', errorMessage: 'oops' }],
      [
        'throws what is not quite an error',
        "throw { name: 'Own', message: 'oops' }",
        { errorType: 'object', errorMessage: '[object Object]' },
      ],
      [
        'returns what JSON has no word for',
        'return 1n',
        {
          errorType: 'Runtime.JSONStringifyError',
          errorMessage: 'Unable to stringify response body',
        },
      ],
    ])('that %s fails, and its environment goes on', async (_, statement, error) => {
      const invoke = prepare(
        `${counting} exports.handler = async ({ bad }) => { calls++; if (bad) { ${statement} } return calls; };`,
        { maxEnvironments: 1 },
      );

      expect(await errorOf(invoke({ bad: true }))).toMatchObject(error);
      expect(await payloadOf(invoke({}))).toBe(2);
    });

    it.each([
      ['exits', 'process.exit(3)', exited('exited with error: exit status 3')],
      ['exits with 0', 'process.exit()', exited('exited without providing a reason')],
      ['waits for nothing', never, exited('exited without providing a reason')],
      [
        'has an exception that nothing catches',
        `setTimeout(() => { throw new RangeError('late'); }); ${never}`,
        exited('exited with error: exit status 1'),
      ],
      [
        'has a rejection that nothing handles',
        `Promise.reject(new Error('nobody')); ${never}`,
        exited('exited with error: exit status 1'),
      ],
      [
        'needs more memory than it has',
        // Numbers, among which the collector looks for no references.
        'const all = []; for (;;) all.push(new Array(100_000).fill(0.5))',
        exited('exited with error: signal: aborted'),
      ],
    ])('that %s fails, and its environment ends', async (_, statement, error) => {
      const invoke = prepare(
        `${counting} exports.handler = async ({ bad }) => { calls++; if (bad) { ${statement} } return calls; };`,
        { lambda: { timeoutMs: 20_000 } },
      );

      expect(await errorOf(invoke({ bad: true }))).toEqual(error);
      expect(await payloadOf(invoke({}))).toBe(1);
    });

    it('that leaves a rejection behind has its environment end with the next invocation', async () => {
      const code = `${counting} exports.handler = async () => {
        setTimeout(() => Promise.reject(new Error('behind')), 50);
        return ++calls;
      };`;
      const invoke = prepare(code, { maxEnvironments: 1 });

      expect(await payloadOf(invoke())).toBe(1);
      await tested.logged('behind');

      expect(await errorOf(invoke())).toEqual(exited('exited with error: exit status 1'));
      expect(await payloadOf(invoke())).toBe(1);
    });

    it.each([
      ['throws while it is loaded', "throw new Error('at start');", 'Error', 'at start'],
      [
        'does not exist',
        'exports.other = 1;',
        'Runtime.HandlerNotFound',
        'index.handler is undefined or not exported',
      ],
      [
        'is no function',
        'exports.handler = 1;',
        'Runtime.HandlerNotFound',
        'index.handler is not a function',
      ],
      [
        'takes a callback',
        'exports.handler = (event, context, callback) => {};',
        'Runtime.CallbackHandlerDeprecated',
        'ERROR: AWS Lambda has removed support for callback-based function handlers starting with Node.js 24. You need to modify this function to use a supported handler signature to use Node.js 24 or later. For more information see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.',
      ],
      [
        'does not parse',
        'exports.handler = async ( => {}',
        'Runtime.UserCodeSyntaxError',
        "SyntaxError: Unexpected token '=>'",
      ],
    ])('that %s fails', async (_, code, errorType, errorMessage) => {
      expect(await errorOf(prepare(code)())).toMatchObject({ errorType, errorMessage });
    });

    it('that requires what is not there fails', async () => {
      const error = await errorOf(prepare("require('nothing');")());

      expect(error?.errorType).toBe('Runtime.ImportModuleError');
      expect(error?.errorMessage).toMatch(/^Error: Cannot find module 'nothing'\n/);
    });

    it('that takes too long fails, and its environment is not used again', async () => {
      const code = `${counting} exports.handler = async ({ slow }) => {
        if (slow) await new Promise((resolve) => setTimeout(resolve, 60_000));
        return ++calls;
      };`;
      const invoke = prepare(code, { lambda: { timeoutMs: 100 }, maxEnvironments: 1 });
      await inTime(invoke);

      const error = await errorOf(invoke({ slow: true }));

      expect(error).toEqual({
        errorType: 'Sandbox.Timedout',
        errorMessage: 'RequestId: request-1 Error: Task timed out after 0.10 seconds',
      });
      expect(await payloadOf(inTime(invoke))).toBe(1);
    });

    it('that blocks its thread is stopped as well', async () => {
      const invoke = prepare('exports.handler = () => { for (;;); };', {
        lambda: { timeoutMs: 100 },
      });

      expect(await errorOf(invoke())).toMatchObject({ errorType: 'Sandbox.Timedout' });
    });

    it.each([128, 512, 1_769])(
      'of %s MB has the heap that Lambda gives it',
      async (memorySizeMb) => {
        const code = `exports.handler = async () =>
        require('node:v8').getHeapStatistics().heap_size_limit / 2 ** 20;`;
        const invoke = prepare(code, {
          // The heap is no matter of NODE_OPTIONS: Lambda starts Node with parameters that win.
          lambda: {
            memorySizeMb,
            environment: { NODE_OPTIONS: '--max-old-space-size=77 --max-semi-space-size=1' },
          },
        });

        const newSpaceMb = Math.floor(memorySizeMb / 10);
        const semiSpaceMb = Math.floor(newSpaceMb / 2);
        const youngMb = 3 * 2 ** Math.ceil(Math.log2(semiSpaceMb));
        expect(await payloadOf(invoke())).toBe(memorySizeMb - newSpaceMb + youngMb);
      },
    );

    it('has what NODE_OPTIONS sets for it, and the length of headers that Lambda sets', async () => {
      const code = `exports.handler = async () => [
        require('node:dns').getDefaultResultOrder(),
        process.sourceMapsEnabled,
        require('node:http').maxHeaderSize,
      ];`;
      const NODE_OPTIONS = '--dns-result-order=ipv6first --enable-source-maps';
      const invoke = prepare(code, { lambda: { environment: { NODE_OPTIONS } } });

      expect(await payloadOf(invoke())).toEqual(['ipv6first', true, 81_920]);
    });

    it('that Node cannot be started for fails', async () => {
      const invoke = prepare('exports.handler = async () => 1;', {
        lambda: { environment: { NODE_OPTIONS: '--no-such-option' } },
      });

      const error = await errorOf(invoke());

      expect(error?.errorMessage).toContain('Runtime exited with error: exit status 9');
      expect(tested.lines.join()).toContain('--no-such-option');
    });
  });
}
