import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { isFromThisMachine, isTrusted } from '../../../aws/management/loopback.ts';

const signed = { host: 'localhost:3000', authorization: 'AWS4-HMAC-SHA256 x' };
const request = (headers: object, remoteAddress: string | undefined) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

describe('a request', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    ['127.0.0.1', 'localhost', true],
    ['127.100.200.255', 'LOCALHOST:65535', true],
    ['::1', '[::1]:3000', true],
    ['::ffff:127.100.200.255', '127.100.200.255:3000', true],
    ['192.0.2.1', 'localhost', false],
    ['::ffff:192.0.2.1', 'localhost', false],
    ['1127.0.0.1', 'localhost', false],
    ['1::1', 'localhost', false],
    ['::1:1', 'localhost', false],
    ['::ffff:127.0.0.1.1', 'localhost', false],
    [undefined, 'localhost', false],
    ['127.0.0.1', undefined, false],
    ['127.0.0.1', 'evil.example', false],
    ['127.0.0.1', 'localhost.evil.example', false],
    ['127.0.0.1', 'evil.localhost', false],
    ['127.0.0.1', '127.0.0.1.evil.example', false],
    ['127.0.0.1', 'localhost:3000.evil.example', false],
    ['127.0.0.1', 'localhost:port', false],
  ])('from %s to %s is from this machine: %s', (remoteAddress, host, expected) => {
    const headers = host === undefined ? {} : { host };

    expect(isFromThisMachine(request(headers, remoteAddress))).toBe(expected);
  });

  it('is trusted if an AWS client on this machine has signed it', () => {
    expect(isTrusted(request(signed, '127.0.0.1'))).toBe(true);
  });

  it.each<[string, object, string]>([
    ['comes from another machine', signed, '192.0.2.1'],
    ['is not signed', { host: 'localhost' }, '127.0.0.1'],
    ['has the key of a client', { ...signed, authorization: 'Bearer x' }, '127.0.0.1'],
    ["comes from a page's script", { ...signed, origin: 'http://localhost:3000' }, '127.0.0.1'],
    ['comes from a page', { ...signed, 'sec-fetch-site': 'same-origin' }, '127.0.0.1'],
  ])('is not trusted if it %s', (_, headers, address) => {
    expect(isTrusted(request(headers, address))).toBe(false);
  });
});
