import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '../../../smoke/stage/exact-json.ts';

describe('exact JSON', () => {
  it.each(['0', '-1', '9223372036854775807', '-9223372036854775808'])('accepts %s', (digits) => {
    expect(() => parseExactJson(`{"id":${digits}}`)).not.toThrow();
  });

  it.each(['1.0', '1e3', '-0', '9223372036854775808', '-9223372036854775809'])(
    'refuses %s',
    (digits) => {
      expect(() => parseExactJson(`{"id":${digits}}`)).toThrow(`holds ${digits}`);
    },
  );
});
