import { describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import { smokeTest } from '../../smoke/smoke-test.ts';
import { startServiceWith } from '../contract/running-service.ts';

const orders = '[{"id":9007199254740993,"petId":7,"quantity":2,"status":"pending"}]';

describe('smoke test of the local service', () => {
  it('finds no difference, up to and beyond the limit of a Free key', async () => {
    await using service = await startServiceWith(orders);
    const { baseUrl, keys } = service;
    const lines: string[] = [];
    const { perMinute, perDay } = plans.free;
    const limits = ['--limits', '--expect-limits', `${perMinute}/${perDay}`];
    const options = ['--cancel-order', '9007199254740993', ...limits, '--json'];

    const exitCode = await smokeTest(['--url', baseUrl, ...options], {
      environment: { STORE_ORDERS_KEY: keys.free },
      readInput: async () => undefined,
      print: (line) => lines.push(line),
      printError: (line) => lines.push(line),
    });

    const { checks = [] } = JSON.parse(lines[0] ?? '{}');
    const notPassed = checks.filter((check: { outcome: string }) => check.outcome !== 'passed');
    expect(notPassed).toEqual([]);
    expect(exitCode).toBe(0);
  }, 60_000);
});
