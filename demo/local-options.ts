import { statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { isStageName, type StageName, stageNames } from '../lib/settings/stages.ts';
import { withoutPassword } from '../local/dynamodb/upstream.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError } from '../shared/errors.ts';
import { checkForgottenDashes } from './npm-options.ts';

/** How `npm start` was called. */
export interface LocalOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
  readonly stage: StageName;
  /** Where the data is kept; in memory when absent. */
  readonly data: string | undefined;
  /** File of orders to load; a sample when absent. */
  readonly orders: string | undefined;
  /** Whether one line of JSON is printed instead of text. */
  readonly json: boolean;
  /** Whether the log of the functions is printed instead of kept in a file. */
  readonly verbose: boolean;
  /** Whether saved changes are run at once. */
  readonly watch: boolean;
  /** The port for a debugger, 0 for any free one; undefined for none. */
  readonly inspect: number | undefined;
}

/**
 * @param environment of a run that npm started
 * @returns undefined where help was asked for, which has been printed
 * @throws OperatorError naming the option, its value and what is accepted
 */
export function parseLocalOptions(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): LocalOptions | undefined {
  const command = localCommand();
  const names = command.options.map((option) => option.long!.replace('--', ''));
  checkForgottenDashes(names, words, environment);
  return parseCommandLine(command, words);
}

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
    .option(
      '--orders <file>',
      `load these orders: ${ordersFile} (default: a sample of 1,000)`,
      fileOf,
    )
    .option('--watch', 'run saved changes of lambdas/ and lib/ at once', false)
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
const ordersFile = 'a JSON array or JSON Lines';
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
  const isOther = statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  if (path !== '' && !isOther) return path;
  throw new InvalidValueError('--data', path, 'a directory, which is created if it is not there');
}

function fileOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new InvalidValueError('--orders', path, `a file that exists: ${ordersFile} of orders`);
}

/**
 * The DynamoDB-compatible server of the environment; undefined when it names none.
 *
 * @throws OperatorError when it is no URL
 */
export function dynamodbEndpointOf(environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment.DYNAMODB_ENDPOINT;
  if (!value || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value || undefined;
  throw new InvalidValueError(
    'DYNAMODB_ENDPOINT',
    withoutPassword(value),
    'a URL such as http://127.0.0.1:8000',
  );
}
