import {
  charactersAfterPrefix,
  hashOwnerPart,
  hashToken,
  ownerCharactersLength,
  parseAuthorization,
} from '../../../lambdas/shared/api-key.ts';
import { stageOfKey } from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError } from '../../shared/errors.ts';
import { findOwnerOfHash } from '../owners/find-owner.ts';
import type { StoredOwner } from '../owners/stored-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { keysOf, type StoredKey } from './find-key.ts';

/** The owner and the key of a token. */
interface FoundToken {
  readonly owner: StoredOwner;
  /** Undefined if the token is incomplete or mistyped, or the owner has no such key. */
  readonly key: StoredKey | undefined;
  readonly isWhole: boolean;
}

const tokenForm = /so_[0-9A-Za-z]+_[0-9A-Za-z]+/g;

/**
 * Finds the key of a token, even if it is no longer valid. If the token is incomplete, its first characters,
 * which all keys of the owner share, are enough to find the owner.
 *
 * @param text a text that contains the token, possibly among other words
 * @throws OperatorError without any part of the text
 */
export async function whoseToken(text: string, store: KeyStore): Promise<FoundToken> {
  const { tokenPrefix } = store;
  const token = soleToken(text);
  refuseOtherStage(token, tokenPrefix);
  const isWhole = parseAuthorization(`Bearer ${token}`, tokenPrefix) !== undefined;
  const ownerPart = token.slice(0, tokenPrefix.length + ownerCharactersLength);
  if (ownerPart.length < tokenPrefix.length + ownerCharactersLength) {
    const remedy = `its first ${tokenPrefix.length + ownerCharactersLength} characters are enough to find its owner`;
    throw new OperatorError('The API key is too short', { remedy });
  }
  const filled = ownerPart.padEnd(tokenPrefix.length + charactersAfterPrefix, '0');
  const owner = await findOwnerOfHash(hashOwnerPart(filled), store);
  if (!owner) {
    const reason = isWhole ? 'was made up' : 'is mistyped';
    throw new NotFoundError(
      'No owner of this stage has such an API key: its owner was deleted, it belongs to another ' +
        `account, or it ${reason}`,
    );
  }
  const tokenHash = hashToken(token);
  return { owner, key: keysOf(owner).find((each) => each.tokenHash === tokenHash), isWhole };
}

function soleToken(text: string): string {
  const [token, ...others] = new Set(text.match(tokenForm));
  if (token === undefined) {
    throw new OperatorError(
      'Standard input contains no API key, which starts with "so_" and its stage',
    );
  }
  if (others.length === 0) return token;
  throw new OperatorError(`Standard input contains ${others.length + 1} API keys`, {
    remedy: 'give one at a time',
  });
}

function refuseOtherStage(token: string, prefix: string): void {
  if (token.startsWith(prefix)) return;
  const stage = stageOfKey(token);
  if (stage === undefined) throw new OperatorError('The API key has a prefix that no stage uses');
  throw new OperatorError(`The API key belongs to stage ${stage}`, {
    remedy: 'look it up in that stage',
  });
}
