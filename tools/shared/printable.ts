import { anyKeyPrefix } from '../../lib/settings/stages.ts';

// Characters that can move a terminal's cursor, change its state or change the direction of text, and characters that
// nobody sees. Line feeds are allowed, because commands print several lines. The joiners of emoji and of some scripts
// are also allowed.
const controlCharacters = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The keys of all stages. The first 30 characters of a key are treated like a whole key. */
const keys = new RegExp(`(${anyKeyPrefix})[0-9A-Za-z]{22,}`, 'g');

/**
 * Makes a text safe to print, whoever wrote the text. Control characters are escaped like `\u001b`, which is also valid
 * in a JSON string. API keys are shortened to their prefix.
 *
 * @param issuedToken a token that is not shortened, because the text has to show it
 */
export function printable(text: string, issuedToken?: string): string {
  return text
    .replaceAll(controlCharacters, (character) => character.split('').map(escaped).join(''))
    .replaceAll(keys, (token, prefix) => (token === issuedToken ? token : `${prefix}…`));
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Whether a text contains an API key of a stage, or at least the first 30 characters of an API key. */
export function containsKey(text: string): boolean {
  return text.search(keys) >= 0;
}
