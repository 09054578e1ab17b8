import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { serve } from '../../../test/helpers/loopback-server.ts';

const { argv, env, exitCode } = process;
const clearScreen = '\u001b[2J\u009b2J';

beforeEach(() => {
  process.argv = argv.slice(0, 2);
});

afterEach(() => {
  Object.assign(process, { argv, env, exitCode });
  jest.restoreAllMocks();
});

describe('the example that lists orders', () => {
  it.each([
    ['an order', 200, [{ id: 1, petId: 2, quantity: 3, shipDate: clearScreen, complete: true }]],
    ['an error', 401, { code: 'unauthorized', message: clearScreen, status: 401 }],
  ])('leaves the terminal as it is, whatever %s says', async (_, status, body) => {
    await using server = await serve((_incoming, outgoing) => {
      outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
    process.env = { ...env, STORE_ORDERS_URL: server.url, STORE_ORDERS_KEY: 'so_test_x' };
    const lines: string[] = [];
    const print = (line: string) => lines.push(line);
    jest.spyOn(console, 'log').mockImplementation(print);
    jest.spyOn(console, 'error').mockImplementation(print);

    // Each version of the module's name is run anew.
    await import(`../../examples/list-orders.ts?${status}`);

    expect(lines.join('\n')).toContain('\ufffd[2J\ufffd2J');
    expect(lines.join('\n')).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});
