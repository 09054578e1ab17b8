import { Command } from 'commander';
import { isInt64 } from '../../lambdas/orders/order-fields.ts';
import { versionPath } from '../../lib/settings/functions.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError, OperatorError } from '../shared/errors.ts';

export interface SmokeOptions {
  readonly url: URL;
  /** A pending order. */
  readonly cancelOrder?: string;
  readonly limits?: boolean;
  /** The ARN of the SNS topic of the alarms. */
  readonly alarmTopic?: string;
}

export interface KeySources {
  readonly environment: NodeJS.ProcessEnv;
  /** Reads standard input; undefined if it is a terminal. */
  readonly readInput: () => Promise<string | undefined>;
}

/** The host names of this machine. A parsed URL has every IPv4 address as four decimal numbers. */
const thisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

const topicArn = /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/;

const helpAfter = `
Pass the API key in the environment variable ORDERS_KEY, or on standard input:
  ORDERS_KEY=so_test_… npm run smoke -- --url http://127.0.0.1:3000/staging${versionPath}
  pass show store/smoke | npm run smoke -- --url https://…/prod${versionPath} --cancel-order 1001 --limits

The key is never printed. Use a key that nobody else uses, because other requests would change the
counters that are checked. The limits of a key of the Free plan are enough. All orders are read once.
For --alarm-topic, AWS credentials are needed, too.

Exit code: 0 if everything is as documented, 1 otherwise.`;

/** Parses the command line, as `parseCommandLine` does. @throws OperatorError whose message says what to do */
export function parseOptions(words: readonly string[]): SmokeOptions | undefined {
  const command = new Command('npm run smoke --')
    .description('Compares a deployed or local stage with the published contract, openapi.yaml.')
    .option('--url <base>', `base URL of the stage, which ends with ${versionPath}`, parseBaseUrl)
    .option(
      '--cancel-order <id>',
      'also cancel this pending order; only an operator can reopen it',
      parsed('--cancel-order', isInt64, 'the digits of an order id, such as 1001'),
    )
    .option(
      '--limits',
      "also use up the key's limit, to check the answer 429; not for a key of the Enterprise plan",
    )
    .option(
      '--alarm-topic <arn>',
      "also check that somebody gets the alarms: the stack's output AlarmTopicArn",
      parsed('--alarm-topic', (text) => topicArn.test(text), "the stack's output AlarmTopicArn"),
    )
    .addHelpText('after', helpAfter);
  const options = parseCommandLine<Partial<SmokeOptions>>(command, words);
  if (options === undefined) return undefined;
  if (options.url === undefined) {
    throw new OperatorError("--url is missing: use the stack's output BaseUrl");
  }
  return options as SmokeOptions;
}

/** Reads the API key. */
export async function readKey({ environment, readInput }: KeySources): Promise<string> {
  const key = (environment.ORDERS_KEY || (await readInput()))?.trim();
  if (key) return key;
  throw new OperatorError(
    'the API key is missing: set ORDERS_KEY, or pipe the key to this command',
  );
}

function parseBaseUrl(text: string): URL {
  const expect = (expected: string) => new InvalidValueError('--url', text, expected);
  const url = URL.parse(text);
  const isPrivate =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && thisMachine.test(url.hostname));
  if (!url || !isPrivate) {
    throw expect(
      'https://, or http:// on this machine, because otherwise the key crosses the network unencrypted',
    );
  }
  url.pathname = url.pathname.replace(/\/$/, '');
  if (url.href.endsWith(versionPath)) return url;
  throw expect(`an address that ends with ${versionPath}, such as the stack's output BaseUrl`);
}

/** Parses the value of an option that has to match a pattern. */
function parsed(option: string, isValid: (text: string) => boolean, expected: string) {
  return (text: string) => {
    if (isValid(text)) return text;
    throw new InvalidValueError(option, text, expected);
  };
}
