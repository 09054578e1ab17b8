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

/** Whose a token is. */
interface FoundToken {
  readonly owner: StoredOwner;
  /** Undefined for a token that is incomplete or mistyped, and one that the owner does not have. */
  readonly key: StoredKey | undefined;
  readonly isWhole: boolean;
}

const tokenForm = /so_[0-9A-Za-z]+_[0-9A-Za-z]+/g;

/**
 * Finds the key that a token belongs to, even if the key is no longer valid. Of a token that is
 * incomplete, the characters that are common to an owner's keys are enough to find the owner.
 *
 * @param text a text that contains the token, possibly among other words
 * @throws OperatorError whose message contains nothing of the text
 */
export async function whoseToken(text: string, store: KeyStore): Promise<FoundToken> {
  const { tokenPrefix } = store;
  const token = soleToken(text);
  refuseOtherStage(token, tokenPrefix);
  const isWhole = parseAuthorization(`Bearer ${token}`, tokenPrefix) !== undefined;
  const ownerPart = token.slice(0, tokenPrefix.length + ownerCharactersLength);
  if (ownerPart.length < tokenPrefix.length + ownerCharactersLength) {
    const remedy = `its first ${tokenPrefix.length + ownerCharactersLength} characters tell whose it is`;
    throw new OperatorError('The API key is too short', { remedy });
  }
  const filled = ownerPart.padEnd(tokenPrefix.length + charactersAfterPrefix, '0');
  const owner = await findOwnerOfHash(hashOwnerPart(filled), store);
  if (!owner) {
    const reason = isWhole ? 'was made up' : 'is mistyped';
    throw new NotFoundError(
      'No owner of this stage has such an API key: its owner was deleted, it is of another account, ' +
        `or it ${reason}`,
    );
  }
  const tokenHash = hashToken(token);
  return { owner, key: keysOf(owner).find((each) => each.tokenHash === tokenHash), isWhole };
}

function soleToken(text: string): string {
  const [token, ...others] = new Set(text.match(tokenForm));
  if (token === undefined) {
    throw new OperatorError(
      'Standard input holds no API key, which begins with "so_" and its stage',
    );
  }
  if (others.length === 0) return token;
  throw new OperatorError(`Standard input holds ${others.length + 1} API keys`, {
    remedy: 'give one at a time',
  });
}

function refuseOtherStage(token: string, prefix: string): void {
  if (token.startsWith(prefix)) return;
  const stage = stageOfKey(token);
  if (stage === undefined) throw new OperatorError('The API key has the prefix of no stage');
  throw new OperatorError(`The API key is one of stage ${stage}`, {
    remedy: 'ask there who has it',
  });
}
