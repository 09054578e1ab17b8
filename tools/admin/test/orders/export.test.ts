import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { file, orders, put } = await ordersOfEachTest();

describe('orders export', () => {
  const cancelled =
    '{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,' +
    '"status":"cancelled","cancelledAt":"2026-11-20T09:31:00.000Z","cancelledBy":"key_1","cancelRequestId":"c"}';
  const shipped =
    '{"id":-5,"status":"shipped","shippedAt":"2026-11-20T09:31:00.000Z","shippedBy":"ann"}';

  it('writes a line for each order', async () => {
    await orders(['import', file(`${cancelled}\n${shipped}\n`)]);

    const { stdout, stderr } = await orders(['export']);

    expect(stdout.split('\n').sort()).toEqual(['', shipped, cancelled]);
    expect(stderr).toBe('Exported 2 orders.\n');
  });

  it('escapes control sequences on a terminal', async () => {
    await put({ id: { N: '1' }, cancelledBy: { S: '\u001b]0;a\u009b\u202e' } });
    const [shown, piped] = [
      await orders(['export'], { isTerminal: true }),
      await orders(['export']),
    ];

    expect(shown.stdout).toContain('\\u001b]0;a\\u009b\\u202e');
    expect(piped.stdout).toContain('\u009b\u202e');
  });

  it('ends at Ctrl+C with exit code 5, also if nobody reads its pipe', async () => {
    await put({ id: { N: '1' } });
    const controller = new AbortController();
    const stdout = new Writable({ highWaterMark: 1, write: () => controller.abort() });

    const { exitCode, stderr } = await orders(['export'], {
      stdout,
      interruption: controller.signal,
    });

    expect(exitCode).toBe(5);
    expect(stderr).toBe('error: interrupted after 1 order; run the command again\n');
  });

  it.each([
    ['EPIPE', 0],
    ['ENOSPC', 1],
  ])('does not report %s of standard output itself, and exits with %i', async (code, exit) => {
    await put({ id: { N: '1' } });
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    });

    const { exitCode, stderr } = await orders(['export'], { stdout });

    expect({ exitCode, stderr }).toEqual({ exitCode: exit, stderr: '' });
  });

  it('writes only the orders in one state', async () => {
    await orders(['import', file(`${cancelled}\n${shipped}\n{"id":1}\n`)]);

    const { stdout } = await orders(['export', '--status', 'shipped']);

    expect(stdout.match(/-5|9007199254740993/g)).toEqual(['-5']);
  });
});
