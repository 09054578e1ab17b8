import { hashOwnerPart, hashToken, parseAuthorization } from '../../../lambdas/shared/api-key.ts';
import { stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError, quoted } from '../../shared/errors.ts';
import { findOwnerOfHash } from '../owners/find-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { keysOf, type StoredKey } from './find-key.ts';

const tokenForm = /so_[0-9A-Za-z]+_[0-9A-Za-z]+/g;

/**
 * Finds the key that a token belongs to, even if the key is no longer valid.
 *
 * @param text a text that contains the token, possibly among other words
 * @throws OperatorError whose message contains nothing of the text
 */
export async function whoseToken(text: string, store: KeyStore): Promise<StoredKey> {
  const token = soleToken(text);
  refuseUnlessOfStage(token, store.tokenPrefix);
  const owner = await findOwnerOfHash(hashOwnerPart(token), store);
  if (!owner) {
    throw new NotFoundError(
      'No owner of this stage has such an API key: it is of another account, or was made up',
    );
  }
  const tokenHash = hashToken(token);
  const key = keysOf(owner).find((each) => each.tokenHash === tokenHash);
  if (key) return key;
  const { name, ownerId } = owner.details;
  throw new NotFoundError(
    `The API key begins as those of ${quoted(name)} do (${ownerId}), who has none such: its details ` +
      'were purged, or it was made up by somebody who has seen another one',
  );
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

function refuseUnlessOfStage(token: string, prefix: string): void {
  if (isOfStage(token, prefix)) return;
  const other = stageNames.find((stage) => isOfStage(token, stageSettings(stage).apiKeyPrefix));
  if (other)
    throw new OperatorError(`The API key is one of stage ${other}`, {
      remedy: 'ask there who has it',
    });
  throw new OperatorError(
    'The API key is incomplete or mistyped: its last six characters do not fit the others',
  );
}

function isOfStage(token: string, prefix: string): boolean {
  return parseAuthorization(`Bearer ${token}`, prefix) !== undefined;
}
