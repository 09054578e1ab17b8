import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOwner, createToken } from '../../shared/api-key-token.ts';
import { RunningStore } from '../e2e/running-store.ts';
import { AwsEnvironment } from './aws-environment.ts';

const scaling = readFileSync('docs/scaling.md', 'utf8');
const timeoutMs = 10_000;
let store: RunningStore;

beforeAll(async () => {
  store = await RunningStore.start({
    startEnvironment: (...parameters) => new AwsEnvironment(...parameters),
  });
});

afterAll(() => store?.[Symbol.asyncDispose]());

describe("the log of a wrong key, under AWS's runtime client", () => {
  it('takes what docs/scaling.md says, the line of the runtime included', async () => {
    const token = createToken('so_test_', createOwner('so_test_').seed);

    await store.call('GET', '/pets/1', { token });

    const own = await line('"Reason":"unauthorized"');
    const ofRuntime = await line('Invoke Error');
    const [, ...documented] =
      /two lines: (\d+) bytes of\s+the authorizer and (\d+) of/.exec(scaling) ?? [];
    expect([own, ofRuntime].map(bytes)).toEqual(documented.map(Number));
    expect(ofRuntime).toContain('"errorType":"UnauthorizedError"');
  });
});

/**
 * The line that has a text, once it is there, as the function wrote it.
 * @throws Error where it does not come
 */
async function line(part: string): Promise<string> {
  const untilMs = performance.now() + timeoutMs;
  for (;;) {
    const found = store.lines.find((each) => each.includes(part));
    if (found !== undefined) return found.slice(found.indexOf(': ') + 2);
    if (performance.now() > untilMs) throw new Error(`no ${part} in the log`);
    await setImmediate();
  }
}

/** The bytes of a line, including its line break. */
function bytes(text: string): number {
  return Buffer.byteLength(text) + 1;
}
