import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { plans } from '../../../lib/settings/plans.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { serve } from '../../../test/helpers/loopback-server.ts';
import { type RunningStore, startStore } from '../../local/test/e2e/running-store.ts';
import { selectChecks } from '../checks.ts';
import { CheckSkipped } from '../runner.ts';
import { smokeTest } from '../smoke-test.ts';
import { type Send, senderTo } from '../stage/http-client.ts';
import { preflight } from '../stage/preflight.ts';
import { Stage } from '../stage/stage.ts';
import { type Mistake, mistakes, spoilt } from './mistakes.ts';

// The clock stands still, so that times in headers agree even if a busy machine takes long.
const startedAtMs = Date.now();
let store: RunningStore;
let key: Awaited<ReturnType<RunningStore['issue']>>;

beforeAll(async () => {
  store = await startStore(() => startedAtMs);
  key = await store.issue('pro');
});

beforeEach(() => store.putOrders([{ id: '9007199254740993', status: 'pending' }]));

afterAll(() => store?.[Symbol.asyncDispose]());

const someKey = `${keyPrefix}${'a'.repeat(46)}`;

const log = jest.spyOn(console, 'log').mockImplementation(() => {});
const logError = jest.spyOn(console, 'error').mockImplementation(() => {});
beforeEach(() => {
  jest.clearAllMocks();
});

async function run(words: readonly string[], key?: string, send?: Send) {
  const io = { environment: { ORDERS_KEY: key }, readInput: async () => undefined, send };
  const exitCode = await smokeTest(['--url', store.baseUrl, ...words], io);
  return { exitCode, output: log.mock.calls.join('\n'), errors: logError.mock.calls.flat() };
}

/** A key of the Free plan with this many requests left in its minute. */
async function keyWith(left: number): Promise<string> {
  const issued = await store.issue('free');
  await store.setCounters(issued, { minuteCount: plans.free.perMinute - left });
  return issued.apiKey;
}

/** Runs the checks on the store, whose answers have a mistake. */
function runWith(mistake: Mistake) {
  return run([], key.apiKey, spoilt(store.send, mistake));
}

/** A stage whose answers have nothing but a status. */
function stageWith(status: () => number): Stage {
  const rest = { headers: new Map(), text: '' };
  return new Stage(async (question) => ({ question, status: status(), ...rest }), someKey);
}

describe('smoke test', () => {
  it('passes on a stage that keeps the contract, with a key of the Free plan', async () => {
    const { apiKey } = await store.issue('free');

    const words = ['--cancel-order', '9007199254740993', '--limits'];
    const { exitCode, output } = await run(words, apiKey);

    expect(output).toContain('✓ cancels the order');
    expect(output).toContain('✓ admits exactly what Remaining promised');
    expect(output).toMatch(/\d+ passed, 0 failed, 0 skipped$/);
    expect(exitCode).toBe(0);
  });

  it('exits with 1 on a difference, and shows the request, the response and what was expected', async () => {
    const { exitCode, output } = await runWith(
      ({ text }) => text.includes('order_not_found') && { status: 500 },
    );

    expect(output).toMatch(
      /✗ answers 404 to an order.*\n +request: \w+ \/store\/orders\/-\d+\n +response: 500 .*request id .*"order_not_found".*\n +expected: 404 order_not_found/,
    );
    expect(output).toMatch(/ 1 failed, 0 skipped$/);
    expect(exitCode).toBe(1);
  });

  it('does not try to use up a limit that is too high', async () => {
    const { apiKey } = await store.issue('enterprise');
    const { run: useUp } = selectChecks({ limits: true }).at(-1)!;

    await expect(useUp(new Stage(store.send, apiKey))).rejects.toThrow(CheckSkipped);
  });

  it('never prints a key or an escape sequence, whatever the stage answers', async () => {
    const { exitCode, output, errors } = await runWith(({ headers, question }) => {
      const { authorization = '' } = question.headers ?? {};
      const text = `{"code":"\u001b[2J\u009b2J","message":${JSON.stringify(authorization)}}`;
      return { headers: new Map([...headers, ['x-echo', [encodeURI(authorization)]]]), text };
    });

    const all = output + errors.join();
    expect(exitCode).toBe(1);
    expect(all).toContain(`${keyPrefix}…`);
    expect(all).toContain('the response repeats the API key');
    expect(all).not.toMatch(new RegExp(`${keyPrefix}[0-9A-Za-z]`));
    expect(all).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('reads the key from standard input if the environment has none', async () => {
    const io = { environment: {}, readInput: async () => `${someKey}\n` };

    await smokeTest(['--url', store.baseUrl], io);

    expect(logError.mock.calls.flat()).toEqual([expect.stringContaining('--url answers 401')]);
  });
});

describe('smoke test, before its checks', () => {
  it.each([
    [['--url', 'https://host/v1/prod'], 'is not accepted; expected https://…/v1'],
    [['--url', 'http://host/v1'], 'http:// only on this machine'],
    [['--url', 'http://127.0.0.1.nip.io/v1'], 'http:// only on this machine'],
    [['--url', 'http://[::1]:3000/v1'], 'the API key is missing'],
    [['--url', 'https://host/v1'], 'the API key is missing: set ORDERS_KEY, or pipe'],
    [['--url', `x${someKey}`], `${keyPrefix}…`],
    [['--unknown'], "unknown option '--unknown'; npm run smoke -- --help lists the options"],
  ])('explains a wrong call in one line: %j', async (words, message) => {
    const { exitCode, errors } = await run(words);

    expect(exitCode).toBe(1);
    expect(errors).toEqual([expect.stringContaining(message)]);
    expect(errors[0]).not.toContain('\n');
  });

  it('reports a stage that never answers', async () => {
    await using server = await serve(() => {});
    const send = senderTo(new URL(server.url), 500);

    const { errors } = await run([], key.apiKey, send);

    expect(errors).toEqual([expect.stringContaining('no answer within 0.5 seconds')]);
  });

  it.each([
    ['before its checks', 3],
    ['during its checks', 7],
  ])('ends with the time to try again if the key has no requests left %s', async (_, left) => {
    const { exitCode, output, errors } = await run([], await keyWith(left));

    expect(exitCode).toBe(1);
    expect(output).not.toContain('✗');
    expect(errors).toEqual([
      expect.stringMatching(
        /^smoke: the key has no requests left: try again in \d+ seconds, or use another key$/,
      ),
    ]);
  });

  it.each([
    ['is good at once', '.....', 0, ''],
    ['has no such path', '4', 0, '--url answers 404'],
    ['is not the service', '2', 0, '--url answers 200'],
    ['never answers well', 'x'.repeat(99), 120_000, '--url answers 503'],
    ['is good five times in a row', 'xx..x....x.....', 30_000, 'new key may not work yet: 503 '],
  ])('waits for a stage that %s', async (_, marks, expectedMs, message) => {
    const statuses: Record<string, number> = { '.': 410, x: 503, '2': 200, '4': 404 };
    const stage = stageWith(() => statuses[marks[sent++]!]!);
    let sent = 0;
    let waitedMs = 0;
    const sleep = async (ms: number) => {
      waitedMs += ms;
    };

    const error = await preflight(stage, sleep).catch(String);

    expect(error ?? logError.mock.calls.join()).toContain(message);
    expect(waitedMs).toBe(expectedMs);
  });
});

describe('a mistake in an answer', () => {
  const checks = selectChecks({ limits: true, cancelOrder: '1' });

  it.each(checks)(
    'is noticed if every response is wrong: $group, $title',
    async ({ run: check }) => {
      await expect(check(stageWith(() => 418))).rejects.toThrow();
    },
  );

  it.each(mistakes)('is noticed by "%s": %s', async (title, report, mistake) => {
    await store.putOrders([
      { id: '1', status: 'cancelled' },
      { id: '9223372036854775807', status: 'pending' },
    ]);
    const stage = new Stage(spoilt(store.send, mistake), await keyWith(8));

    const { run: check } = checks.find((each) => each.title === title)!;

    await expect(check(stage)).rejects.toThrow(report);
  });
});
