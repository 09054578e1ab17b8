import { hashOwnerPart, hashToken, parseAuthorization } from '../../../lambdas/keys/api-key.ts';
import { anyKeyPrefix, apiKeyPrefixes, stageOfKey } from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import { readSecret } from '../console/questions.ts';
import { keyIdOfExamples, type Verb } from '../console/verb.ts';
import { ownerResult } from '../owners/owner-view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findKey, keysOf, type StoredKey } from '../store/keys.ts';
import { findOwnerOfHash } from '../store/owners.ts';
import { type KeyView, keyText, keyView } from './key-view.ts';

export const show: Verb = {
  usage: 'show [keyId]',
  description:
    'show a key and its owner, by the key id or by the API key, for example if it leaked',
  help: `Without a key id, the command reads a text with an API key from standard input.
So the API key appears neither in the list of processes nor in the shell's
history. The command does not print the API key.`,
  examples: [`keys show ${keyIdOfExamples} --stage prod`, 'keys show --stage prod'],
  run: async ({ stage, io }, keyId?: string) => {
    if (keyId !== undefined) return described(await findKey(keyId, stage), stage);
    const token = tokenIn(await readSecret(io, `${stage.place}: API key:`));
    const { owner, key } = await whoseToken(token, stage);
    if (key) return described(key, stage);
    const { ownerId, name } = owner.details;
    const value = { keyId: null, owner: name, ownerId, note: unknownKeyText };
    return { value, text: `${ownerResult(owner, stage).text}\n\n${unknownKeyText}` };
  },
};

function described(key: StoredKey, stage: KeyStage): Result {
  const view = keyView(key, stage);
  return { value: view, text: `${keyText(view)}\n\n${adviceOn(view)}` };
}

/** The commands for a leaked token. */
function adviceOn({ keyId, status, replacedBy }: KeyView): string {
  if (status === 'expired' || status === 'revoked') return 'The API key is not valid.';
  const replace = replacedBy ? '' : `"./admin keys rotate ${keyId} --grace 0s" replaces it. `;
  const state = status === 'suspended' ? 'The owner is suspended.' : 'The API key is valid.';
  return `${state} ${replace}"./admin keys revoke ${keyId}" revokes it.`;
}

const unknownKeyText =
  'The owner has no such API key. Either the API key ended more than 90 days ago, or somebody who knows another API ' +
  'key of this owner made it up.';

const tokenForm = new RegExp(`${anyKeyPrefix}[0-9A-Za-z]+`, 'g');

/**
 * Finds the token in a text. @throws OperatorError unless there is exactly one token. The error contains no part of the
 * text
 */
function tokenIn(text: string): string {
  const [token, ...others] = new Set(text.match(tokenForm));
  if (token !== undefined && others.length === 0) return token;
  throw new OperatorError(
    token === undefined
      ? `Standard input contains no API key. An API key starts with ${apiKeyPrefixes.join(' or ')}`
      : `Standard input contains ${others.length + 1} API keys; give one at a time`,
  );
}

/**
 * Finds the owner of a token, and its key, even if it is no longer valid. The key is undefined if it is no longer
 * listed. @throws OperatorError without the token
 */
async function whoseToken(token: string, stage: KeyStage) {
  const { tokenPrefix } = stage;
  if (!token.startsWith(tokenPrefix)) {
    const problem = `The API key belongs to stage ${stageOfKey(token)}`;
    throw new OperatorError(problem, { remedy: 'look it up in that stage' });
  }
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
