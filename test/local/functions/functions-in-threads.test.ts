import { afterEach, describe, expect, it } from '@jest/globals';
import { closedGate } from '../../helpers/gate.ts';
import { describeFunctions } from './function-suite.ts';
import { counting, errorOf, FunctionUnderTest, payloadOf } from './function-under-test.ts';
import { describeStreamingFunctions } from './streaming-suite.ts';

describeFunctions('a worker thread');
describeStreamingFunctions('a worker thread', { maxChunksAhead: 20 });

const tested = new FunctionUnderTest();
const prepare: FunctionUnderTest['prepare'] = (...parameters) => tested.prepare(...parameters);

afterEach(() => tested.close());

describe('execution environment', () => {
  const code = `${counting} exports.handler = async ({ gate, ms }) => {
    if (gate) await fetch(gate);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { id, calls: ++calls };
  };`;

  it('is reused', async () => {
    const invoke = prepare(code);

    const first = await payloadOf(invoke({}));
    const second = await payloadOf(invoke({}));

    expect(second).toEqual({ id: first.id, calls: 2 });
  });

  it('serves one invocation at a time; another one is started beside it', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code);

    const invoked = [1, 2].map(() => payloadOf(invoke({ gate: gate.url })));
    await gate.arrivals(2);
    gate.open();
    const results = await Promise.all(invoked);

    expect(results.map(({ calls }) => calls)).toEqual([1, 1]);
    expect(results[0].id).not.toBe(results[1].id);
  });

  it.each([
    ['the runner allows', {}, 1],
    ['the function reserves', { reservedConcurrency: 1 }, undefined],
  ])(
    'is not started in larger numbers than %s: invocations wait',
    async (_, lambda, maxEnvironments) => {
      const invoke = prepare(code, { lambda, maxEnvironments });

      const results = await Promise.all([1, 2, 3].map(() => payloadOf(invoke({ ms: 5 }))));

      expect(new Set(results.map(({ id }) => id)).size).toBe(1);
      expect(results.map(({ calls }) => calls)).toEqual([1, 2, 3]);
    },
  );

  it('is not started at all for a function that reserves none', async () => {
    const invoke = prepare(code, { lambda: { reservedConcurrency: 0 } });

    expect(await errorOf(invoke())).toMatchObject({ errorType: 'TooManyRequestsException' });
  });

  it('is stopped with the runner, whatever it does', async () => {
    await using gate = await closedGate();
    const invoke = prepare(code);
    const pending = errorOf(invoke({ gate: gate.url }));
    await gate.arrivals(1);

    await tested.close();

    expect(await pending).toBeDefined();
    expect(await errorOf(invoke())).toMatchObject({ errorType: 'ServiceException' });
  });
});
