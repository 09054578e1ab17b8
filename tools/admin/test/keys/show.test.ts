import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { anyKeyPrefix } from '../../../../lib/settings/stages.ts';
import { keyPrefix, otherKeyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import { reportFailure } from '../../failure-report.ts';
import { show as showKey } from '../../keys/show.ts';
import { createOwnerIdentity, createToken } from '../../store/identities.ts';
import { issueTo, nowMs, run, stageOfEachTest } from '../stage-of-keys.ts';

let apiKey: string;
let keyId: string;

const { stage } = stageOfEachTest();
beforeEach(async () => {
  ({ apiKey, keyId } = await issueTo('Acme', stage));
});

const tokenOf = (prefix: string) => createToken(prefix, createOwnerIdentity(prefix).seed);
/** The same text with another last character. */
const mistyped = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
const show = (id: string) => run(`keys show ${id}`, stage);
/** Runs the command without a key id, with a text on standard input. */
const find = (input: string) => {
  const io = { stdin: Readable.from([input]), interruption: new AbortController().signal };
  return showKey.run({ stage, io } as never);
};

describe('keys show', () => {
  it.each([
    ['alone', (token: string) => token],
    ['in a header', (token: string) => `Authorization: Bearer ${token}\r\n`],
    ['twice', (token: string) => `curl -H "${token}"\n${token}`],
  ])('finds the key of a token %s, without printing it', async (_, textWith) => {
    const { value, text } = await find(textWith(apiKey));

    expect(value).toMatchObject({ keyId, owner: 'Acme', status: 'active' });
    expect(text).toMatch(/\n\nThe API key is valid\. "\.\/admin keys rotate/);
    expect(text).not.toContain(apiKey.slice(8, 28));
  });

  it('finds a key that was revoked, and the owner of a token whose key is no longer listed', async () => {
    await run(`keys revoke ${keyId}`, stage);
    const { value, text } = await find(apiKey);
    await issueTo('Acme', { ...stage, now: () => nowMs + 91 * 86_400_000 });
    const unlisted = await find(apiKey);

    expect(value).toMatchObject({ keyId, status: 'revoked' });
    expect(text).toMatch(/\n\nThe API key is not valid\.$/);
    expect(unlisted.value).toMatchObject({ keyId: null, owner: 'Acme' });
    expect(unlisted.text).toMatch(
      /\nname +Acme\n[\s\S]*\n\nThe owner has no such API key\. Either/,
    );
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['no token', () => find('hello'), 'Standard input contains no API key'],
    ['two tokens', () => find(`${apiKey} ${tokenOf(keyPrefix)}`), 'contains 2 API keys'],
    ['a token that is cut off', () => find(apiKey.slice(0, 50)), 'is incomplete'],
    ['a token that is mistyped', () => find(mistyped(apiKey)), 'or mistyped'],
    ['a token of another stage', () => find(`${otherKeyPrefix}abc`), 'to stage prod; look'],
    ['a token of no stage', () => find('so_prod_abc'), 'contains no API key'],
    ['a token nobody has', () => find(tokenOf(keyPrefix)), 'owner was deleted, or the API key'],
    ['an id that is mistyped', () => show(mistyped(keyId)), '"./admin keys list --owner own_'],
    [
      'an id of no owner',
      () => show(`key_${'a'.repeat(32)}`),
      '"./admin keys list" shows all keys',
    ],
    ['a token as an id', () => show(apiKey), 'key id: this looks like an API key'],
  ])('refuses %s without repeating a token', async (_, act, message) => {
    const { exitCode, ...failure } = reportFailure(await act().catch((thrown) => thrown), {});

    const text = `${failure.message}; ${failure.remedy}`;
    expect([exitCode, text]).toEqual([1, expect.stringContaining(message)]);
    expect(text).not.toContain(apiKey.slice(8, 20));
    expect(text).not.toMatch(new RegExp(`${anyKeyPrefix}\\w`));
  });
});
