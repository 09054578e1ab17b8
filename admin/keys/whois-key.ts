import { hashOwnerPart, hashToken, parseAuthorization } from '../../lambdas/shared/api-key.ts';
import { NotFoundError, OperatorError } from '../../shared/errors.ts';
import { ownerOfHash } from '../owners/find-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { keysOf, type StoredKey } from './find-key.ts';

/**
 * The key that a token belongs to, also when it is revoked. The token is in no error.
 *
 * @throws OperatorError when the text is no token of this stage, or no key has it
 */
export async function whoisKey(text: string, store: KeyStore): Promise<StoredKey> {
  const token = parseAuthorization(`Bearer ${text.trim()}`, store.tokenPrefix);
  if (token === undefined) {
    throw new OperatorError(
      `token: what standard input holds is no token of this stage; expected "${store.tokenPrefix}" ` +
        'and 46 characters, the last six of which fit the rest',
    );
  }
  const owner = await ownerOfHash(hashOwnerPart(token), store);
  const tokenHash = hashToken(token);
  const key = owner && keysOf(owner).find((each) => each.tokenHash === tokenHash);
  if (key) return key;
  throw new NotFoundError(
    `No key of this stage has this token${owner ? `, but it looks like one of ${owner.details.ownerId}` : ''}; ` +
      'it may be of another stage with the same prefix, or its details have been purged',
  );
}
