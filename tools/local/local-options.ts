import { accessSync, constants, statSync } from 'node:fs';
import { Command, Option } from 'commander';
import { isStageName, type StageName, stageChoices } from '../../lib/settings/stages.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError } from '../shared/errors.ts';

/** The options of `npm start`, as `npm start -- --help` explains them, and `DYNAMODB_ENDPOINT`. */
export interface LocalOptions {
  readonly port: number;
  readonly host: string;
  readonly stage: StageName;
  readonly data: string | undefined;
  readonly orders: string | undefined;
  readonly empty?: boolean;
  readonly json?: boolean;
  readonly watch?: boolean;
  /** The debugger's port, or 0 for any free port; undefined for no debugger. */
  readonly inspect: number | undefined;
  readonly dynamodbEndpoint: string | undefined;
}

/** Parses the options. Undefined after `--help`, which prints the help. @throws OperatorError for an invalid value */
export function parseLocalOptions(
  words: readonly string[],
  { DYNAMODB_ENDPOINT, PORT }: NodeJS.ProcessEnv,
): LocalOptions | undefined {
  const port = PORT ? portOf('PORT')(PORT) : 3000;
  const options = parseCommandLine<LocalOptions>(localCommand(port), words);
  return options && { ...options, dynamodbEndpoint: endpointOf(DYNAMODB_ENDPOINT) };
}

function localCommand(port: number): Command {
  return new Command('npm start --')
    .description('Runs the whole service on this machine.')
    .option('--port <n>', 'port to listen on; 0 chooses a free one', portOf('--port'), port)
    .option('--host <host>', 'address to listen on', hostOf, '127.0.0.1')
    .option('--stage <stage>', `stage to run: ${stageChoices}`, stageOf, 'staging')
    .option('--data <dir>', 'keep the data in this directory (default: in memory)', directoryOf)
    .option('--orders <file>', `load orders from ${ordersFile} (default: a sample)`, fileOf)
    .option('--empty', 'start without demo owners and sample orders')
    .option('--watch', 'start the service again when a file in lambdas/, lib/ or bin/ changes')
    .addOption(
      new Option('--inspect [port]', 'let a debugger attach')
        .preset(String(inspectorPort))
        .argParser(portOf('--inspect')),
    )
    .option('--json', 'print one line of JSON when the service is ready')
    .addHelpText('after', helpAfter);
}

const ordersFile = 'a file of JSON Lines';
const inspectorPort = 9229;
const helpAfter = `
npm needs -- before the options: npm start -- --port 3001

If you do not give --port, the environment variable PORT is the port.
To use another DynamoDB-compatible server instead of the embedded one, set DYNAMODB_ENDPOINT to its URL.`;

function portOf(name: string): (text: string) => number {
  return (text) => {
    const port = Number(text);
    if (/^\d+$/.test(text) && port <= 65_535) return port;
    const expected = 'a whole number from 0 to 65535; 0 chooses a free port';
    throw new InvalidValueError(name, text, expected);
  };
}

function hostOf(text: string): string {
  if (text !== '') return text;
  throw new InvalidValueError('--host', text, 'an address of this machine, such as 127.0.0.1');
}

function stageOf(text: string): StageName {
  if (isStageName(text)) return text;
  throw new InvalidValueError('--stage', text, stageChoices);
}

function directoryOf(path: string): string {
  if (path !== '' && !isReadableFile(path)) return path;
  throw new InvalidValueError('--data', path, 'a directory; a missing one is created');
}

function fileOf(path: string): string {
  if (isReadableFile(path)) return path;
  throw new InvalidValueError('--orders', path, `${ordersFile} that can be read`);
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
  if (!value) return undefined;
  if (/^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value;
  throw new InvalidValueError(
    'DYNAMODB_ENDPOINT',
    // The value may have a password.
    value.replace(/.*@/s, '…@'),
    'a URL such as http://127.0.0.1:8000',
  );
}
