import { hashOwnerPart, hashToken, parseAuthorization } from '../../../lambdas/domain/api-key.ts';
import { stageOfKey } from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findOwner, findOwnerOfHash } from '../stored/find-owner.ts';
import { ownerIdOf } from '../stored/identities.ts';
import { keysOf, refuseMalformed, type StoredKey } from '../stored/stored-key.ts';
import type { StoredOwner } from '../stored/stored-owner.ts';

/** An owner, and the key that was looked up, unless it is no longer listed. */
export interface OwnedKey {
  readonly owner: StoredOwner;
  readonly key: StoredKey | undefined;
}

/** Finds a key and its owner by the key id. @throws OperatorError if the id is malformed, or its owner does not exist */
export async function whoseKeyId(keyId: string, stage: KeyStage): Promise<OwnedKey> {
  refuseMalformed(keyId);
  const owner = await findOwner(ownerIdOf(keyId), stage);
  return { owner, key: keysOf(owner).find((each) => each.keyId === keyId) };
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

/** Finds a key and its owner by the token, even if it is no longer valid. @throws OperatorError without the token */
export async function whoseToken(token: string, stage: KeyStage): Promise<OwnedKey> {
  const { tokenPrefix } = stage;
  refuseOtherStage(token, tokenPrefix);
  if (parseAuthorization(`Bearer ${token}`, tokenPrefix) === undefined) {
    throw new OperatorError('The API key is incomplete or mistyped');
  }
  const owner = await findOwnerOfHash(hashOwnerPart(token), stage);
  if (!owner) {
    throw new NotFoundError(
      'No owner of this stage has such an API key: its owner was deleted, or the API key belongs to another ' +
        'account, or it was made up',
    );
  }
  const tokenHash = hashToken(token);
  return { owner, key: keysOf(owner).find((each) => each.tokenHash === tokenHash) };
}

function refuseOtherStage(token: string, prefix: string): void {
  if (token.startsWith(prefix)) return;
  const stage = stageOfKey(token);
  if (stage === undefined) throw new OperatorError('The API key has a prefix that no stage uses');
  throw new OperatorError(`The API key belongs to stage ${stage}`, {
    remedy: 'look it up in that stage',
  });
}
