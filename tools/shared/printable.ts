// Characters that can move a terminal's cursor, change its state or the direction of text. Line
// feeds are allowed, because texts of the commands have several lines.
const controlCharacters = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The tokens of all stages, by the form of their prefixes. */
const tokens = /(so_[a-z]+_)[0-9A-Za-z]+/g;

/**
 * Makes a text safe to print, whoever wrote it: control characters are escaped like `\u001b`, which is also valid in
 * a JSON string, and tokens are shortened to their prefix.
 *
 * @param issuedToken a token that is kept, because the text has to show it
 */
export function printable(text: string, issuedToken?: string): string {
  return text
    .replaceAll(
      controlCharacters,
      (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replaceAll(tokens, (token, prefix) => (token === issuedToken ? token : `${prefix}…`));
}
