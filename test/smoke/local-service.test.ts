import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { smokeTest } from '../../smoke/smoke-test.ts';
import { type RunningService, startService } from '../contract/running-service.ts';

let directory: string;
let service: RunningService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'store-orders-smoke-'));
  const file = join(directory, 'orders.json');
  await writeFile(file, '[{"id":9007199254740993,"petId":7,"quantity":2,"status":"pending"}]');
  service = await startService(['--orders', file]);
}, 60_000);

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe('smoke test of the local service', () => {
  it('finds no difference, up to and beyond the limit of a Free key', async () => {
    const lines: string[] = [];
    const { baseUrl, keys } = service;
    const options = ['--cancel-order', '9007199254740993', '--limits', '--json'];

    const exitCode = await smokeTest(
      ['--url', baseUrl, ...options],
      { STORE_ORDERS_KEY: keys.free },
      { print: (line) => lines.push(line), printError: (line) => lines.push(line) },
    );

    const { checks = [] } = JSON.parse(lines[0] ?? '{}');
    const notPassed = checks.filter((check: { outcome: string }) => check.outcome !== 'passed');
    expect(notPassed).toEqual([]);
    expect(exitCode).toBe(0);
  });
});
