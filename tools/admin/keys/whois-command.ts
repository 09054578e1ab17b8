import type { Command } from 'commander';
import { OperatorError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { readSecret } from '../console/questions.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { recordText } from '../console/view.ts';
import { ownerFields, ownerView } from '../owners/owner-view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { type KeyView, keyFields, keyView } from './key-view.ts';
import { type OwnedKey, tokensIn, whoseKeyId, whoseToken } from './whois-key.ts';

/** Adds the command `keys whois`. */
export function addWhoisCommand(keys: Command, io: CommandIo): void {
  addVerb(keys, io, {
    usage: 'whois [keyId]',
    description:
      'show a key and its owner, by the key id or by the API key, for example if it leaked',
    help: whoisHelp,
    examples: ['keys whois key_… --stage prod', 'keys whois --stage prod < leaked.txt'],
    run: whois,
  });
}

const whoisHelp = `
Without a key id, the command reads a text with one or more API keys from standard input. So the API keys appear
neither in the list of processes nor in the shell's history. The command does not print the API keys.`;

async function whois({ stage, io }: Call, keyId?: string): Promise<Result> {
  if (keyId !== undefined) return described(await whoseKeyId(keyId, stage), stage);
  const tokens = tokensIn(await readSecret(io, `${stage.place}: API key:`));
  if (tokens.length === 1) return described(await whoseToken(tokens[0]!, stage), stage);
  const results = await Array.fromAsync(tokens, (token) => describedToken(token, stage));
  return {
    value: results.map(({ value }) => value),
    text: results.map(({ text }, index) => `API key ${index + 1}\n${text}`).join('\n\n'),
  };
}

/** Describes one of several tokens. If nobody has this token, the result says so, and the command continues. */
async function describedToken(token: string, stage: KeyStage) {
  try {
    return described(await whoseToken(token, stage), stage);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { value: { keyId: null, note: error.problem }, text: `${error.problem}.` };
  }
}

function described({ owner, key }: OwnedKey, { now, plans }: KeyStage) {
  if (key) {
    const view = keyView(key, now(), plans);
    return { value: view, text: `${recordText(keyFields, view)}\n\n${adviceOn(view)}` };
  }
  const { ownerId, name } = owner.details;
  const known = recordText(ownerFields, ownerView(owner, now(), plans));
  const value = { keyId: null, owner: name, ownerId, note: unknownKeyText };
  return { value, text: `${known}\n\n${unknownKeyText}` };
}

/** The commands for a leaked token. */
function adviceOn({ keyId, status, replacedBy }: KeyView): string {
  if (status === 'expired' || status === 'revoked') return 'The API key is not valid.';
  const replace = replacedBy ? '' : `"./admin keys rotate ${keyId} --grace 0s" replaces it. `;
  return `The API key is valid. ${replace}"./admin keys revoke ${keyId}" revokes it.`;
}

const unknownKeyText =
  'The owner has no such API key. Either the API key ended more than 90 days ago, or somebody who knows another API ' +
  'key of this owner made it up.';
