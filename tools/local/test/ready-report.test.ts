import { describe, expect, it } from '@jest/globals';
import { serviceTitle } from '../../../lambdas/domain/service-name.ts';
import { forEachPlan } from '../../../lib/settings/plans.ts';
import { exampleToken } from '../../../test/helpers/dynamodb/key-items.ts';
import { readyJson, readyText } from '../ready-report.ts';
import type { StoreService } from '../store-service.ts';

const plain = { paint: (_: unknown, text: string) => text };

describe.each([
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://192.0.2.2:3000', false],
  ['http://127.0.0.1.example.com:3000', false],
])('the report of a run at %s', (origin, isLoopback) => {
  const service = { origin, baseUrl: `${origin}/staging/v1`, outputs: {} } as StoreService;

  it(`${isLoopback ? 'names' : 'does not name'} the page, the operator's commands and the tables`, () => {
    const text = readyText(service, undefined, {}, plain);

    expect(text.startsWith(`\n${serviceTitle} is ready: ${origin}/\n`)).toBe(isLoopback);
    expect(text.includes(`--local ${origin}`)).toBe(isLoopback);
    expect(text.includes('need --host 0.0.0.0')).toBe(!isLoopback);
    expect(JSON.parse(readyJson(service)).dynamodbEndpoint).toBe(isLoopback ? origin : undefined);
  });
});

it('The commands of a report have the key once, and fit a terminal of 80 columns', () => {
  const origin = 'http://127.0.0.1:30000';
  const demoKeys = forEachPlan(exampleToken);
  const service = { origin, baseUrl: `${origin}/staging/v1`, demoKeys } as StoreService;

  const text = readyText(service, '9007199254740993', {}, plain);

  const [, commands = ''] = text.split('\nChoose a key:\n');
  expect(commands.split(demoKeys.free)).toHaveLength(2);
  expect(commands).toMatch(/\n {2}echo "Authorization: Bearer \$ORDERS_KEY" \|\n/);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
