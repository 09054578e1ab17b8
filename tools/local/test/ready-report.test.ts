import { describe, expect, it } from '@jest/globals';
import { readyJson, readyText } from '../ready-report.ts';
import type { StoreService } from '../store-service.ts';

describe.each([
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://192.0.2.2:3000', false],
  ['http://127.0.0.1.example.com:3000', false],
])('the report of a run at %s', (origin, isLoopback) => {
  const service = { origin, baseUrl: `${origin}/staging/v1`, outputs: {} } as StoreService;

  it(`${isLoopback ? 'names' : 'does not name'} the page, the operator's commands and the tables`, () => {
    const text = readyText(service, undefined, { inspect: undefined }, { paint: (_, all) => all });

    expect(text.includes(`${origin}/\n`)).toBe(isLoopback);
    expect(text.includes(`--local ${origin}`)).toBe(isLoopback);
    expect(text.includes('needs --host 0.0.0.0, as does ./admin')).toBe(!isLoopback);
    expect(JSON.parse(readyJson(service)).dynamodbEndpoint).toBe(isLoopback ? origin : undefined);
  });
});
