// Characters that can move a terminal's cursor, change its state or the direction of text. Line
// feeds are allowed, because texts of the commands have several lines.
const controlCharacters = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Escapes the control characters of a text like `\u001b`, which is also valid in a JSON string. Names
 * come from owners, lines from files and messages from servers, and whoever wrote them must not
 * control the terminal on which they are printed.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(controlCharacters, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
