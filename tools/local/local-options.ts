import { Command, InvalidArgumentError, Option } from 'commander';
import { isStageName, type StageName, stageChoices } from '../../lib/settings/stages.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError } from '../shared/errors.ts';

/** The options of `npm start`, as `npm start -- --help` explains them, and `DYNAMODB_ENDPOINT`. */
export interface LocalOptions {
  readonly port: number;
  readonly host: string;
  readonly stage: StageName;
  readonly data?: string;
  readonly orders?: string;
  readonly json?: boolean;
  readonly watch?: boolean;
  /** The debugger's port, or 0 for any free port. @default - no debugger */
  readonly inspect?: number;
  readonly dynamodbEndpoint: string | undefined;
}

const helpAfter = `
npm needs -- before the options: npm start -- --port 3001

To use another DynamoDB-compatible server instead of the embedded one, set DYNAMODB_ENDPOINT to its URL.`;

/** Parses the options. Undefined after `--help`, which prints the help. @throws OperatorError for an invalid value */
export function parseLocalOptions(words: readonly string[]): LocalOptions | undefined {
  const command = new Command('npm start --')
    .description('Runs the whole service on this machine.')
    .option('--port <n>', 'port to listen on; 0 chooses a free one', portOf, 3000)
    .option('--host <host>', 'address to listen on', textOf, '127.0.0.1')
    .option('--stage <stage>', `stage to run: ${stageChoices}`, stageOf, 'staging')
    .option('--data <dir>', 'keep the data in this directory (default: in memory)', textOf)
    .option(
      '--orders <file>',
      'fill an empty store from this file of JSON Lines (default: a sample)',
    )
    .option('--watch', 'load the service again when a file in lambdas/, lib/ or bin/ changes')
    .addOption(
      new Option('--inspect [port]', 'let a debugger attach').preset('9229').argParser(portOf),
    )
    .option('--json', 'print one line of JSON when the service is ready')
    .addHelpText('after', helpAfter);
  const options = parseCommandLine<LocalOptions>(command, words);
  return options && { ...options, dynamodbEndpoint: endpointOf(process.env.DYNAMODB_ENDPOINT) };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a whole number from 0 to 65535.');
}

function stageOf(text: string): StageName {
  if (isStageName(text)) return text;
  throw new InvalidArgumentError(`Expected ${stageChoices}.`);
}

/** Refuses an empty text, which is probably an unset variable, and would mean all addresses or no directory. */
function textOf(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected a text.');
}

/** The origin of a URL, without a password, which messages would show. */
function endpointOf(value: string | undefined): string | undefined {
  if (!value) return undefined;
  const url = URL.parse(value);
  if (url && /^https?:$/.test(url.protocol)) return url.origin;
  // The message leaves out everything before `@`, which may contain a password.
  const shown = value.replace(/.*@/s, '…@');
  throw new InvalidValueError('DYNAMODB_ENDPOINT', shown, 'a URL such as http://127.0.0.1:8000');
}
