import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { serve } from '../../../test/helpers/loopback-server.ts';

const { argv, env, exitCode } = process;
const clearScreen = '\u001b[2J\u009b2J';
const shown = '\ufffd[2J\ufffd2J';
let runs = 0;

beforeEach(() => {
  process.argv = argv.slice(0, 2);
});

afterEach(() => {
  Object.assign(process, { argv, env, exitCode });
  jest.restoreAllMocks();
});

/** Runs the example, and returns what it prints and its exit code. */
async function run(url: string | undefined, ...options: string[]) {
  process.argv.push(...options);
  process.env = { ...env, STORE_ORDERS_URL: url, STORE_ORDERS_KEY: 'so_test_x' };
  const print = jest.fn<(line: string) => void>();
  jest.spyOn(console, 'log').mockImplementation(print);
  jest.spyOn(console, 'error').mockImplementation(print);

  // Each version of the module's name is run anew.
  await import(`../list-orders.ts?${runs++}`);

  return [print.mock.calls.join('\n'), process.exitCode];
}

describe('the example that lists orders', () => {
  const order = { id: 1, petId: 2, quantity: 3, shipDate: clearScreen, complete: true };
  const refusal = { code: 'unauthorized', message: clearScreen, status: 401 };

  it.each([
    [200, [order], `1: 3 × pet 2, ${shown}, complete\n1 orders`, exitCode],
    [401, refusal, `401 unauthorized: ${shown}`, 1],
  ])(
    'says what is answered %i, and leaves the terminal as it is',
    async (status, body, ...said) => {
      await using server = await serve((_incoming, outgoing) => {
        outgoing.writeHead(status).end(JSON.stringify(body));
      });

      expect(await run(server.url)).toEqual(said);
    },
  );

  it('refuses an option, because it could be a key', async () => {
    expect(await run('http://127.0.0.1:2', '--key', 'secret')).toEqual([
      'This example takes no options; it reads the environment.',
      1,
    ]);
  });

  it('says what the environment lacks', async () => {
    expect(await run(undefined)).toEqual(['Set STORE_ORDERS_URL and STORE_ORDERS_KEY.', 1]);
  });
});
