import { stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { escapeControls } from '../../shared/escape-controls.ts';

const prefixes = stageNames.map((stage) => stageSettings(stage).apiKeyPrefix);
const tokens = new RegExp(`(${prefixes.join('|')})[0-9A-Za-z]+`, 'g');

/**
 * Makes a text safe to print. Control characters are escaped like `\u001b`, which is also valid in a
 * JSON string, and tokens are shortened to their prefix.
 *
 * @param issuedToken a token that is kept, because the text has to show it
 */
export function printable(text: string, issuedToken?: string): string {
  return escapeControls(text).replaceAll(tokens, (token, prefix) =>
    token === issuedToken ? token : `${prefix}…`,
  );
}
