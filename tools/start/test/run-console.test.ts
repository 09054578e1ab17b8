import { describe, expect, it } from '@jest/globals';
import { notableLine } from '../run-console.ts';

describe('of what a function logs, a person', () => {
  it.each([
    ['what it printed itself', 'here I am', 'here I am'],
    ['what only begins like an entry', '{here', '{here'],
    [
      'an error, with its reason',
      '{"level":"ERROR","message":"internal_error","error":{"name":"TypeError","message":"no"}}',
      'internal_error: TypeError: no',
    ],
    ['a warning', '{"level":"WARN","message":"slow"}', 'slow'],
  ])('sees %s', (_, line, shown) => {
    expect(notableLine(line)).toBe(shown);
  });

  it('does not see its metrics', () => {
    expect(notableLine('{"_aws":{},"level":"INFO","OrdersListed":3}')).toBeUndefined();
  });
});
