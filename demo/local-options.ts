import { statSync } from 'node:fs';
import { isStageName, type StageName, stageNames } from '../lib/settings/stages.ts';
import { OperatorError } from '../shared/errors.ts';

const seeHelp = 'npm start -- --help lists them';

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
  readonly help: boolean;
}

export const usage = `Usage: npm start -- [options]

  --port N         port to listen on, 0 for any that is free (3000)
  --host HOST      address to listen on (127.0.0.1)
  --stage STAGE    which stack to run: ${stageNames.join(' or ')} (staging)
  --data DIR       keep orders, keys and counters there (in memory)
  --orders FILE    load these orders: a JSON array or JSON Lines (a sample of 1,000)
  --json           print one line of JSON once the service is ready
  --help           print this

DYNAMODB_ENDPOINT in the environment names a DynamoDB-compatible server to use instead of the
embedded one.
`;

type Values = Readonly<Record<string, string | undefined>>;

const namesWithValue = ['port', 'host', 'stage', 'data', 'orders'];
const flags = ['json', 'help'];

/** @throws OperatorError naming the option, its value and what is accepted */
export function parseLocalOptions(parameters: readonly string[]): LocalOptions {
  const values = parseValues(parameters);
  return {
    port: portOf(values.port ?? '3000'),
    host: hostOf(values.host ?? '127.0.0.1'),
    stage: stageOf(values.stage ?? 'staging'),
    data: directoryOf(values.data),
    orders: fileOf(values.orders),
    json: 'json' in values,
    help: 'help' in values,
  };
}

/** Takes `--name value` and `--name=value`; of an option that comes twice, the last one counts. */
function parseValues(parameters: readonly string[]): Values {
  const values: Record<string, string | undefined> = {};
  const rest = [...parameters];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (namesWithValue.includes(name)) values[name] = value ?? valueAfter(name, rest);
    else if (flags.includes(name) && value === undefined) values[name] = undefined;
    else throw new OperatorError(`${JSON.stringify(word)}: no such option; ${seeHelp}`);
  }
  return values;
}

function valueAfter(name: string, rest: string[]): string {
  const value = rest.shift();
  if (value !== undefined) return value;
  throw new OperatorError(`--${name}: its value is missing; ${seeHelp}`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw notAccepted('--port', text, 'a whole number from 0 to 65535, 0 for any port that is free');
}

function hostOf(text: string): string {
  if (text !== '') return text;
  throw notAccepted('--host', text, 'an address of this machine, such as 127.0.0.1');
}

function stageOf(text: string): StageName {
  if (isStageName(text)) return text;
  throw notAccepted('--stage', text, stageNames.join(' or '));
}

function directoryOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const isOther = statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  if (path !== '' && !isOther) return path;
  throw notAccepted('--data', path, 'a directory, which is created if it is not there');
}

function fileOf(path: string | undefined): string | undefined {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw notAccepted('--orders', path, 'a file that exists: a JSON array or JSON Lines of orders');
}

/**
 * The DynamoDB-compatible server of the environment; undefined when it names none.
 *
 * @throws OperatorError when it is no URL
 */
export function dynamodbEndpointOf(environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment.DYNAMODB_ENDPOINT;
  if (!value || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value || undefined;
  throw notAccepted('DYNAMODB_ENDPOINT', value, 'a URL such as http://127.0.0.1:8000');
}

function notAccepted(field: string, value: string, expected: string): OperatorError {
  return new OperatorError(
    `${field}: ${JSON.stringify(value)} is not accepted; expected ${expected}`,
  );
}
