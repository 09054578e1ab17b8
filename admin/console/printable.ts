import { stageConfiguration, stageNames } from '../../lib/settings/stages.ts';

// What can move a terminal's cursor, change its state or turn the direction of writing, except for
// the line feed that ends a line of ours.
const controlCharacters = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const prefixes = stageNames.map((stage) => stageConfiguration(stage, {}).apiKeyPrefix);
const tokens = new RegExp(`(${prefixes.join('|')})[0-9A-Za-z]+`, 'g');

/**
 * A text as it may be written anywhere: control characters as `\u001b`, which stays valid within a
 * JSON string, and of a token no more than its prefix.
 *
 * @param issuedToken the one token that this text is there to show
 */
export function printable(text: string, issuedToken?: string): string {
  return text
    .replaceAll(controlCharacters, escaped)
    .replaceAll(tokens, (token, prefix) => (token === issuedToken ? token : `${prefix}…`));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
