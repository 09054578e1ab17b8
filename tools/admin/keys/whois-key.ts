import {
  charactersAfterPrefix,
  hashOwnerPart,
  hashToken,
  ownerCharactersLength,
  parseAuthorization,
} from '../../../lambdas/domain/api-key.ts';
import { stageOfKey } from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findOwner, findOwnerOfHash } from '../stored/find-owner.ts';
import { ownerIdOf } from '../stored/identities.ts';
import { keysOf, refuseMalformed } from '../stored/stored-key.ts';

/** Finds the owner of a key id, even if the key is no longer listed. The result is like the result of `whoseToken`. */
export async function whoseKeyId(keyId: string, stage: KeyStage) {
  refuseMalformed(keyId);
  const owner = await findOwner(ownerIdOf(keyId), stage);
  return { owner, keys: keysOf(owner).filter((each) => each.keyId === keyId), isWhole: true };
}

const tokenForm = /so_[0-9A-Za-z]+_[0-9A-Za-z]+/g;

/** Finds the tokens in a text, each once. @throws OperatorError if there is none; it contains no part of the text */
export function tokensIn(text: string): string[] {
  const tokens = [...new Set(text.match(tokenForm))];
  if (tokens.length > 0) return tokens;
  throw new OperatorError(
    'Standard input contains no API key. An API key starts with "so_", such as "so_live_…"',
  );
}

/**
 * Finds the key of a token, even if it is no longer valid.
 *
 * @returns in `keys`, the key if the owner has it. If the token is not whole, `keys` has all keys of the owner
 * @throws OperatorError, which contains no part of the token
 */
export async function whoseToken(token: string, stage: KeyStage) {
  const { tokenPrefix } = stage;
  refuseOtherStage(token, tokenPrefix);
  const isWhole = parseAuthorization(`Bearer ${token}`, tokenPrefix) !== undefined;
  const neededLength = tokenPrefix.length + ownerCharactersLength;
  const ownerPart = token.slice(0, neededLength);
  if (ownerPart.length < neededLength) {
    const remedy = `its first ${neededLength} characters are enough to find its owner`;
    throw new OperatorError('The API key is too short', { remedy });
  }
  const filled = ownerPart.padEnd(tokenPrefix.length + charactersAfterPrefix, '0');
  const owner = await findOwnerOfHash(hashOwnerPart(filled), stage);
  if (!owner) {
    const reason = isWhole ? 'was made up' : 'is mistyped';
    throw new NotFoundError(
      'No owner of this stage has such an API key: its owner was deleted, or the API key belongs to another ' +
        `account, or it ${reason}`,
    );
  }
  const tokenHash = hashToken(token);
  const keys = keysOf(owner).filter((key) => !isWhole || key.tokenHash === tokenHash);
  return { owner, keys, isWhole };
}

function refuseOtherStage(token: string, prefix: string): void {
  if (token.startsWith(prefix)) return;
  const stage = stageOfKey(token);
  if (stage === undefined) throw new OperatorError('The API key has a prefix that no stage uses');
  throw new OperatorError(`The API key belongs to stage ${stage}`, {
    remedy: 'look it up in that stage',
  });
}
