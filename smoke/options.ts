import { Command } from 'commander';
import { isInt64 } from '../lambdas/shared/order-id.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError, OperatorError } from '../shared/errors.ts';

export interface SmokeOptions {
  readonly url: URL;
  readonly key: string;
  readonly cancelOrder?: string;
  readonly limits: boolean;
  readonly wait: boolean;
  readonly timeout: number;
  readonly json: boolean;
}

const keyPattern = /^so_(live|test)_[0-9A-Za-z]{46}$/;
const secondsPerDay = 86_400;

const helpAfter = `
Examples:
  npm run smoke -- --url http://127.0.0.1:3000/staging/v1 --key so_test_…
  npm run smoke -- --url https://…/prod/v1 --key so_live_… --cancel-order 1001 --limits

The key may also come from the environment variable STORE_ORDERS_KEY, which keeps it out of the
list of processes. It is never printed. Use a key of its own: others who use it at the same time
change the counts that are looked at. About 30 requests are counted against it.

Exit code: 0 where everything is as documented, 1 otherwise.`;

/**
 * @returns undefined where help was asked for, which has been printed
 * @throws OperatorError in one line that says what to do
 */
export function parseOptions(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SmokeOptions | undefined {
  const command = new Command('npm run smoke --')
    .description('Walks the published contract (openapi.yaml) on a deployed or local stage.')
    .option('--url <base>', 'base URL of the stage, with its version: …/v1', parseBaseUrl)
    .option('--key <key>', 'API key of that stage, of any plan')
    .option('--cancel-order <id>', 'cancel this pending order, for good', parseOrderId)
    .option('--limits', "use up the key's allowance and look at the 429 (Free or Pro key)", false)
    .option('--wait', 'wait for Retry-After, where the key has to recover', false)
    .option('--timeout <seconds>', 'longest silence of the stage', parseSeconds, 30)
    .option('--json', 'print one line of JSON instead of the report', false)
    .addHelpText('after', helpAfter);
  const options = parseCommandLine<Partial<SmokeOptions>>(command, words);
  if (options === undefined) return undefined;
  const { url, key = environment.STORE_ORDERS_KEY } = options;
  if (url === undefined) {
    throw new OperatorError("--url is missing: give the stage's base URL, its output BaseUrl");
  }
  return { ...options, url, key: checkedKey(key) } as SmokeOptions;
}

function parseBaseUrl(text: string): URL {
  const expect = (expected: string) => new InvalidValueError('--url', text, expected);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw expect('an http:// or https:// address');
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw expect('the address alone, without user, query or fragment');
  }
  url.pathname = url.pathname.replace(/\/$/, '');
  if (url.pathname.endsWith('/v1')) return url;
  throw expect("an address that ends with /v1: see the stack's output BaseUrl");
}

function parseOrderId(text: string): string {
  if (isInt64(text)) return text;
  throw new InvalidValueError('--cancel-order', text, 'the digits of an order id, such as 1001');
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= secondsPerDay) return seconds;
  throw new InvalidValueError('--timeout', text, 'whole seconds from 1 to 86400, such as 30');
}

// The value stays out of the message: a key that was mistyped is still nearly a key.
function checkedKey(key: string | undefined): string {
  if (key === undefined || key === '') {
    throw new OperatorError(
      '--key is missing: give an API key of the stage, or set STORE_ORDERS_KEY',
    );
  }
  if (keyPattern.test(key)) return key;
  throw new OperatorError(
    `--key has ${key.length} characters and is no API key: expected so_live_ or so_test_ and 46 base62 characters`,
  );
}
