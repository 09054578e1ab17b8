import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';
import { notablePart, textConsole } from '../run-console.ts';

const directory = temporaryDirectoryOfEachTest();

describe("of a function's log, a person", () => {
  it.each([
    ['what it printed itself', 'here I am', { output: 'here I am' }],
    ['what only begins like an entry', '{here', { output: '{here' }],
    [
      'an error, with its reason',
      '{"level":"ERROR","message":"internal_error","error":{"name":"TypeError","message":"no"}}',
      { problem: 'internal_error: TypeError: no' },
    ],
    ['a warning', '{"level":"WARN","message":"slow"}', { problem: 'slow' }],
  ])('sees %s', (_, line, shown) => {
    expect(notablePart(line)).toEqual(shown);
  });

  it('does not see its metrics', () => {
    expect(notablePart('{"_aws":{},"level":"INFO","OrdersListed":3}')).toEqual({});
  });
});

describe("a function's log", () => {
  it('sends no escape sequence to a terminal, and only this user can read its file', () => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const file = `${directory.path}/functions.log`;

    textConsole('/staging/v1', file).logFunction!('store', '\u001b[2J');

    expect(write.mock.calls.join()).toContain('store: \\u001b[2J');
    expect(readFileSync(file, 'utf8')).toBe('store: \\u001b[2J\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    write.mockRestore();
  });
});
