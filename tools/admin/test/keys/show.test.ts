import { beforeEach, describe, expect, it } from '@jest/globals';
import { anyKeyPrefix } from '../../../../lib/settings/stages.ts';
import { keyPrefix, otherKeyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import { reportFailure } from '../../failure-report.ts';
import { issueKey } from '../../keys/issue.ts';
import { keyView } from '../../keys/key-view.ts';
import { revoke } from '../../keys/revoke.ts';
import { rotate } from '../../keys/rotate.ts';
import { show, tokenIn, whoseToken } from '../../keys/show.ts';
import { createOwnerIdentity, createToken } from '../../store/identities.ts';
import { issueTo, nowMs, run, stageOfEachTest } from '../stage-of-keys.ts';

let apiKey: string;
let keyId: string;

const { stage } = stageOfEachTest();
beforeEach(async () => {
  ({ apiKey, keyId } = await issueTo({ owner: 'Acme' }, stage));
});

const tokenOf = (prefix: string) => createToken(prefix, createOwnerIdentity(prefix).seed);
/** The same text with another last character. */
const mistyped = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');

describe('keys show', () => {
  it.each([
    ['alone', (token: string) => token],
    ['in a header', (token: string) => `Authorization: Bearer ${token}\r\n`],
    ['twice', (token: string) => `curl -H "${token}"\n${token}`],
  ])('finds the key of a token %s', async (_, textWith) => {
    const { key } = await whoseToken(tokenIn(textWith(apiKey)), stage);

    expect(keyView(key!, stage)).toMatchObject({ keyId, owner: 'Acme', status: 'active' });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['was revoked', () => run(revoke, [keyId], stage), 'revoked'],
    ['was replaced', () => run(rotate, [keyId], stage, { grace: (now) => now }), 'revoked'],
  ])('finds a key that %s', async (_, make, status) => {
    await make();

    expect(await run(show, [keyId], stage)).toMatchObject({ keyId, status });
    const { key } = await whoseToken(apiKey, stage);
    expect(keyView(key!, stage)).toMatchObject({ keyId, status });
  });

  it('finds the owner of a token whose key is no longer listed', async () => {
    await run(revoke, [keyId], stage);
    await issueKey({ owner: 'Acme' }, { ...stage, now: () => nowMs + 91 * 86_400_000 });

    expect(await whoseToken(apiKey, stage)).toMatchObject({
      owner: { details: { name: 'Acme' } },
      key: undefined,
    });
  });

  it.each<[string, (id: string) => string, RegExp]>([
    ['is mistyped', mistyped, /^"\.\/admin keys list --owner own_\w+" shows all keys/],
    ['has another owner', () => `key_${'a'.repeat(32)}`, /^"\.\/admin keys list" shows all keys/],
  ])('finds no key if the id %s', async (_, change, remedy) => {
    const id = change(keyId);

    const error = await run(show, [id], stage).catch((thrown) => thrown);

    expect(reportFailure(error, {})).toMatchObject({
      ...{ exitCode: 1, message: `No key has the id ${id}` },
      remedy: expect.stringMatching(remedy),
    });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['no token', async () => tokenIn('hello'), 'Standard input contains no API key'],
    ['nothing', async () => tokenIn(''), 'Standard input contains no API key'],
    ['two tokens', async () => tokenIn(`${apiKey} ${tokenOf(keyPrefix)}`), 'contains 2 API keys'],
    ['a token that is cut off', () => whoseToken(apiKey.slice(0, 50), stage), 'is incomplete'],
    ['a token that is mistyped', () => whoseToken(mistyped(apiKey), stage), 'or mistyped'],
    [
      'a token of another stage',
      () => whoseToken(`${otherKeyPrefix}abc`, stage),
      'to stage prod; look',
    ],
    ['a token of no stage', async () => tokenIn('so_prod_abc'), 'contains no API key'],
    [
      'a token nobody has',
      () => whoseToken(tokenOf(keyPrefix), stage),
      'owner was deleted, or the API key',
    ],
    ['a token as an id', () => run(show, [apiKey], stage), 'key id: this looks like an API key'],
  ])('refuses %s without repeating a token', async (_, find, message) => {
    const error = (await find().catch((thrown) => thrown)) as Error;

    expect(error.message).toContain(message);
    expect(error.message).not.toContain(apiKey.slice(8, 20));
    expect(error.message).not.toMatch(new RegExp(`${anyKeyPrefix}\\w`));
  });
});
