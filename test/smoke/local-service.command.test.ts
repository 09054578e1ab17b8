import { describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import { smokeTest } from '../../smoke/smoke-test.ts';
import { startServiceWith } from '../contract/running-service.ts';

const orderIds = ['9007199254740993', '9007199254740995'];
const orders = orderIds.map((id) => `{"id":${id},"petId":7,"quantity":2,"status":"pending"}\n`);

interface Check {
  readonly outcome: string;
}

describe('smoke test of the local service', () => {
  it('finds no difference, up to and beyond the limit of a Free key', async () => {
    await using service = await startServiceWith(orders.join(''));
    const { baseUrl, keys } = service;
    const { perMinute, perDay } = plans.free;
    const limits = ['--limits', '--expect-limits', `${perMinute}/${perDay}`];
    const run = async (orderId: string) => {
      const lines: string[] = [];
      const options = ['--cancel-order', orderId, ...limits, '--json'];
      const exitCode = await smokeTest(['--url', baseUrl, ...options], {
        environment: { STORE_ORDERS_KEY: keys.free },
        readInput: async () => undefined,
        print: (line) => lines.push(line),
        printError: (line) => lines.push(line),
      });
      const { checks = [] }: { checks?: Check[] } = JSON.parse(lines[0] ?? '{}');
      return { exitCode, checks };
    };

    let { exitCode, checks } = await run(orderIds[0]!);
    // The checks of a limit are skipped where a minute ends in their middle. Two do not end in a row.
    if (checks.some(({ outcome }) => outcome === 'skipped')) {
      ({ exitCode, checks } = await run(orderIds[1]!));
    }

    const notPassed = checks.filter(({ outcome }) => outcome !== 'passed');
    expect(checks).not.toEqual([]);
    expect(notPassed).toEqual([]);
    expect(exitCode).toBe(0);
  }, 60_000);
});
