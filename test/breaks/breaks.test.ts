import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { breaks } from './breaks.ts';

describe('a deliberate break', () => {
  it.each(breaks)('changes code that is there, once: $property', ({ file, code, replacement }) => {
    const parts = readFileSync(file, 'utf8').split(code);

    expect(parts).toHaveLength(2);
    expect(replacement).not.toBe(code);
  });
});
