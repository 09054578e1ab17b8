import { describe, expect, it } from '@jest/globals';
import { matchesArn, matchesPattern } from '../../../local/iam/pattern.ts';
import { cpuMillisecondsOf } from '../../helpers/cpu-time.ts';

describe('a pattern', () => {
  it.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'abc', true],
    ['**', '', true],
    ['?', 'a', true],
    ['?', '', false],
    ['abc', 'abc', true],
    ['abc', 'ab', false],
    ['ab', 'abc', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a*c', 'ac', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abd', false],
    ['b*', 'ab', false],
    ['ab**', 'ab', true],
    ['*ab', 'aab', true],
    ['*aab', 'aaab', true],
    ['*b', 'abx', false],
    ['a*b*c', 'axbxbxc', true],
    ['a*b*c', 'axcxc', false],
    ['*a?b*', 'aacb', true],
  ])('%j matches %j: %s', (pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });

  it('takes no more time than it must for many wildcards', () => {
    const milliseconds = cpuMillisecondsOf(() =>
      matchesPattern('*a'.repeat(30), 'ab'.repeat(2_000)),
    );

    expect(milliseconds).toBeLessThan(1_000);
  });

  const arn = 'arn:aws:logs:us-east-1:000000000000:log-group:orders:x';

  it.each([
    ['*', true],
    ['arn:aws:logs:*', true],
    ['arn:aws:s3:*', false],
    ['arn:aws:logs', false],
    ['arn:*:x', false],
    ['arn:aws:logs:*:*', true],
    ['arn:aws:*:*:*:*', true],
    ['arn:aws:logs:*:*:*x', true],
    ['arn:aws:logs:*:000000000000:log*x', true],
    ['arn:aws:logs:us-east-1:*:x', false],
    ['arn:aws:logs:us-east-1:000000000000:log-groupo:rders:x', false],
    ['arn:aws:logs:*:000000000000:log-group:orders:x', true],
    ['arn:aws:logs:*:000000000000:log-group:*', true],
    ['arn:aws:logs:*:000000000000:log-group', false],
    ['arn:aws:logs:*:log-group:orders:x', false],
    ['arn:aws:logs:*:111111111111:log-group:*', false],
  ])('of ARNs, %s, matches a log group: %s', (pattern, expected) => {
    expect(matchesArn(pattern, arn)).toBe(expected);
  });
});
