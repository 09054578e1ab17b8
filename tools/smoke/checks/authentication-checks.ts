import { tokenChecksum } from '../../../lambdas/domain/api-key.ts';
import { apiKeyPrefixes } from '../../../lib/settings/stages.ts';
import { operations } from '../../../test/contract/contract.ts';
import type { CallOptions, Expected, Stage } from '../stage/stage.ts';
import { checksOf } from './check.ts';

const checksumLength = 6;
const unauthorized: Expected = { status: 401, code: 'unauthorized' };

const refusals: Readonly<Record<string, (key: string) => CallOptions>> = {
  'a missing Authorization header': () => ({ authorization: null }),
  // An empty header does not match the authorizer's expression. So API Gateway itself answers 401, like for a missing
  // header (AWS's API reference, Authorizer, identityValidationExpression).
  'an empty Authorization header': () => ({ authorization: '' }),
  'the Basic scheme': () => ({ authorization: 'Basic c3RvcmU6b3JkZXJz' }),
  'a scheme without a key': () => ({ authorization: 'Bearer' }),
  'a key without a scheme': (key) => ({ authorization: key }),
  'a second word after the key': (key) => ({ authorization: `Bearer ${key} x` }),
  'a key without its last character': (key) => bearer(key.slice(0, -1)),
  'a key with an additional character': (key) => bearer(`${key}0`),
  'a key in lower case': (key) => bearer(key.toLowerCase()),
  'a key with one character changed': (key) => bearer(changed(key, prefixOf(key).length)),
  'a key with a wrong checksum': (key) => bearer(changed(key, key.length - 1)),
  "another stage's prefix": (key) => {
    const other = apiKeyPrefixes.find((prefix) => !key.startsWith(prefix));
    return bearer(withChecksum(other + key.slice(prefixOf(key).length)));
  },
  'a well-formed key of an owner that does not exist': (key) =>
    bearer(withChecksum(changed(key, prefixOf(key).length))),
  'a well-formed key of the same owner that was never issued': (key) =>
    bearer(withChecksum(changed(key, key.length - checksumLength - 1))),
  'a key in the query': (key) => ({ authorization: null, query: `?api_key=${key}` }),
  'a key in the x-api-key header': (key) => ({
    authorization: null,
    headers: { 'x-api-key': key },
  }),
};

export const authenticationChecks = checksOf('R4, R16, R17, R18, I16, I18: Authentication', {
  ...Object.fromEntries(
    Object.entries(refusals).map(([what, optionsOf]) => [
      `refuses ${what}`,
      (stage: Stage) => stage.expect('listOrders', optionsOf(stage.key), unauthorized),
    ]),
  ),
  'refuses a missing key on every operation': async (stage) => {
    for (const { operationId } of operations) {
      await stage.expect(operationId, { authorization: null, orderId: '1' }, unauthorized);
    }
  },
  'accepts the scheme in any case, and two spaces after it': async (stage) => {
    for (const scheme of ['bearer', 'BEARER', 'bEaReR', 'Bearer ']) {
      const options = { authorization: `${scheme} ${stage.key}` };
      await stage.expect('getPet', options, { status: 410, code: 'gone' });
    }
  },
});

function bearer(key: string): CallOptions {
  return { authorization: `Bearer ${key}` };
}

function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf('_') + 1);
}

function changed(key: string, index: number): string {
  const replacement = key[index] === '0' ? '1' : '0';
  return key.slice(0, index) + replacement + key.slice(index + 1);
}

/** Gives a changed key the right checksum, so that it is well-formed although it was issued to nobody. */
function withChecksum(key: string): string {
  const body = key.slice(0, -checksumLength);
  return body + tokenChecksum(body);
}
