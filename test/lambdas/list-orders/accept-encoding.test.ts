import { describe, expect, it } from '@jest/globals';
import { prefersGzip } from '../../../lambdas/list-orders/accept-encoding.ts';

describe('prefersGzip', () => {
  it.each([
    'gzip',
    'GZIP',
    'gzip, deflate, br, zstd',
    'br;q=1.0, gzip;q=0.8, *;q=0.1',
    'gzip;q=0.001',
    'gzip;q=1',
    'gzip;q=1.000',
    'gzip ; q=0.5',
    'gzip;Q=0.5',
    'x-gzip',
    '*',
    '*;q=0.1',
    'identity;q=0, *',
    'identity;q=0, gzip;q=0.1',
    'identity;q=0.5, gzip;q=0.5',
    'deflate, , gzip',
    'nonsense/x=1, gzip',
  ])('compresses for "%s"', (acceptEncoding) => {
    expect(prefersGzip(acceptEncoding)).toBe(true);
  });

  it.each([
    undefined,
    '',
    ' ',
    'identity',
    'br',
    'br gzip',
    'deflate, br',
    'gzip;q=0',
    'gzip;q=0.000',
    'gzip;q=0, *',
    '*;q=0',
    'identity, gzip;q=0.5',
    'identity;q=0.9, *;q=0.1',
    'gzip;q=2',
    'gzip;q=',
    'gzip;level=1',
    'gzipped',
    'identity;q=0',
  ])('does not compress for "%s"', (acceptEncoding) => {
    expect(prefersGzip(acceptEncoding)).toBe(false);
  });
});
