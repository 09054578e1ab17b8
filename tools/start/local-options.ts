import { accessSync, constants, statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { isStageName, type StageName, stageNames } from '../../lib/settings/stages.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError } from '../shared/errors.ts';

/** The options of `npm start`, and the one setting of its environment. */
export interface LocalOptions {
  /** The port to listen on, or 0 for any free port. */
  readonly port: number;
  readonly host: string;
  readonly stage: StageName;
  /** The directory with the data; undefined for data in memory. */
  readonly data: string | undefined;
  /** The file with orders to load; undefined for the sample. */
  readonly orders: string | undefined;
  /** Whether there are no demo owners, and no orders but those of `orders`. */
  readonly empty: boolean;
  /** Whether one line of JSON is printed instead of text. */
  readonly json: boolean;
  /** Whether the log of the functions is printed instead of written to a file. */
  readonly verbose: boolean;
  /** Whether changes of the sources are applied to the running service. */
  readonly watch: boolean;
  /** The port for a debugger, or 0 for any free port; undefined for no debugger. */
  readonly inspect: number | undefined;
  /** The DynamoDB-compatible server to use; undefined for an embedded one. */
  readonly dynamodbEndpoint: string | undefined;
}

/**
 * Parses the command line, and reads `DYNAMODB_ENDPOINT`.
 *
 * @returns undefined when help was requested, which has been printed
 * @throws OperatorError whose message names the option, its value and the accepted values
 */
export function parseLocalOptions(
  words: readonly string[],
  { DYNAMODB_ENDPOINT }: NodeJS.ProcessEnv,
): LocalOptions | undefined {
  const options = parseCommandLine<LocalOptions>(localCommand(), words);
  return options && { ...options, dynamodbEndpoint: endpointOf(DYNAMODB_ENDPOINT) };
}

/** The command with its options. */
function localCommand(): Command {
  return new Command('npm start --')
    .description('Runs the whole service on this machine.')
    .option('--port <n>', 'port to listen on, 0 for any that is free', portOf('--port'), 3000)
    .option('--host <host>', 'address to listen on', hostOf, '127.0.0.1')
    .option('--stage <stage>', `which stack to run: ${stages}`, stageOf, 'staging')
    .option(
      '--data <dir>',
      'keep orders, keys and counters there (default: in memory)',
      directoryOf,
    )
    .option('--orders <file>', `load these orders: ${ordersFile} (default: a sample)`, fileOf)
    .option('--empty', 'start without demo owners and sample orders', false)
    .option('--watch', 'run saved changes of lambdas/ at once', false)
    .addOption(
      new Option('--inspect [port]', 'let a debugger attach, also to the functions; no time limits')
        .preset(String(inspectorPort))
        .argParser(portOf('--inspect')),
    )
    .option('--verbose', 'print the log of the functions too', false)
    .option('--json', 'print one line of JSON once the service is ready', false)
    .addHelpText('after', helpAfter);
}

const stages = stageNames.join(' or ');
const ordersFile = 'JSON Lines or CSV';
const inspectorPort = 9229;
const helpAfter = `
npm needs the -- before the options: npm start -- --port 3001

DYNAMODB_ENDPOINT in the environment names a DynamoDB-compatible server to use instead of the
embedded one.`;

function portOf(name: string): (text: string) => number {
  return (text) => {
    const port = Number(text);
    if (/^\d+$/.test(text) && port <= 65_535) return port;
    const expected = 'a whole number from 0 to 65535, 0 for any port that is free';
    throw new InvalidValueError(name, text, expected);
  };
}

function hostOf(text: string): string {
  if (text !== '') return text;
  throw new InvalidValueError('--host', text, 'an address of this machine, such as 127.0.0.1');
}

function stageOf(text: string): StageName {
  if (isStageName(text)) return text;
  throw new InvalidValueError('--stage', text, stages);
}

function directoryOf(path: string): string {
  if (path !== '' && !isReadableFile(path)) return path;
  throw new InvalidValueError('--data', path, 'a directory, which is created if it is not there');
}

function fileOf(path: string): string {
  if (isReadableFile(path)) return path;
  throw new InvalidValueError('--orders', path, `a file that can be read: ${ordersFile} of orders`);
}

function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function endpointOf(value: string | undefined): string | undefined {
  if (!value || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value || undefined;
  throw new InvalidValueError(
    'DYNAMODB_ENDPOINT',
    // The value may have a password.
    value.replace(/.*@/s, '…@'),
    'a URL such as http://127.0.0.1:8000',
  );
}
