import { beforeEach, describe, expect, it } from '@jest/globals';
import { createOwnerIdentity, createToken } from '../../keys/api-key-token.ts';
import { keyView } from '../../keys/key-view.ts';
import { findPurgeable, purgeKeys } from '../../keys/purge-keys.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { rotateKey } from '../../keys/rotate-key.ts';
import { whoseToken } from '../../keys/whois-key.ts';
import { issueTo, nowMs, stageOfEachTest } from '../stage-of-keys.ts';

let apiKey: string;
let keyId: string;

const { store } = stageOfEachTest();
beforeEach(async () => {
  ({ apiKey, keyId } = await issueTo({ owner: 'Acme' }, store));
});

const tokenOf = (prefix: string) => createToken(prefix, createOwnerIdentity(prefix).seed);
/** The same with its last character replaced by another. */
const mistyped = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');

describe('whoseToken', () => {
  it.each([
    ['alone', (token: string) => token],
    ['in a header', (token: string) => `Authorization: Bearer ${token}\r\n`],
    ['twice', (token: string) => `curl -H "${token}"\n${token}`],
  ])('finds the key of a token %s', async (_, textWith) => {
    const { key } = await whoseToken(textWith(apiKey), store);

    expect(keyView(key!, nowMs)).toMatchObject({ keyId, owner: 'Acme', status: 'active' });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['was revoked', () => revokeKey(keyId, store), 'revoked'],
    ['was replaced', () => rotateKey(keyId, 0, store), 'expired'],
  ])('finds a key that %s', async (_, make, status) => {
    await make();

    const { key } = await whoseToken(apiKey, store);
    expect(keyView(key!, nowMs)).toMatchObject({ keyId, status });
  });

  it('finds the owner of a purged key', async () => {
    await revokeKey(keyId, store);
    await purgeKeys(await findPurgeable(0, store), store);

    const { owner, key, isWhole } = await whoseToken(apiKey, store);
    expect([owner.details.name, key, isWhole]).toEqual(['Acme', undefined, true]);
  });

  it.each([
    ['cut off', () => apiKey.slice(0, 28)],
    ['mistyped', () => mistyped(apiKey)],
    ['followed by a letter', () => `${apiKey}x`],
  ])('finds only the owner of a token that is %s', async (_, text) => {
    const { owner, key, isWhole } = await whoseToken(text(), store);

    expect([owner.details.name, key, isWhole]).toEqual(['Acme', undefined, false]);
  });

  it.each<[string, () => string, string]>([
    ['no token', () => 'hello', 'Standard input contains no API key'],
    ['nothing', () => '', 'Standard input contains no API key'],
    [
      'two tokens',
      () => `${apiKey} ${tokenOf('so_test_')}`,
      'contains 2 API keys; give one at a time',
    ],
    ['a token that is too short', () => apiKey.slice(0, 27), 'its first 28 characters are enough'],
    ['a token of another stage', () => 'so_live_abc', 'belongs to stage prod; look'],
    ['a token of no stage', () => 'so_prod_abc', 'a prefix that no stage uses'],
    ['a token nobody has', () => tokenOf('so_test_'), 'its owner was deleted, it belongs'],
  ])('refuses %s without repeating it', async (_, text, message) => {
    const error: Error = await whoseToken(text(), store).catch((thrown) => thrown);

    expect(error.message).toContain(message);
    expect(error.message).not.toContain(apiKey.slice(8, 20));
    expect(error.message).not.toMatch(/so_(live|test)_\w/);
  });
});
