import { Command } from 'commander';
import { versionPath } from '../../lib/settings/functions.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError, OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { type FurtherChecks, selectChecks } from './checks.ts';
import { runChecks } from './runner.ts';
import { type Send, senderTo } from './stage/http-client.ts';
import { preflight } from './stage/preflight.ts';
import { Stage } from './stage/stage.ts';

interface SmokeIo {
  readonly environment: NodeJS.ProcessEnv;
  /** Reads standard input; undefined if it is a terminal. */
  readonly readInput: () => Promise<string | undefined>;
  /** @default - to the stage */
  readonly send?: Send | undefined;
}

const command = () =>
  new Command('npm run smoke --')
    .description('Compares a deployed or local stage with the published contract, openapi.yaml.')
    .option('--url <base>', `base URL of the stage, which ends with ${versionPath}`, parseBaseUrl)
    .option('--cancel-order <id>', 'also cancel this pending order')
    .option('--limits', "also use up the key's limit, unless the key is of the Enterprise plan")
    .option(
      '--alarm-topic <arn>',
      "also check that somebody gets the alarms of this topic, which is the stack's output AlarmTopicArn",
    )
    .addHelpText(
      'after',
      `
Pass the API key in the environment variable ORDERS_KEY, or on standard input:
  ORDERS_KEY=so_test_… npm run smoke -- --url http://127.0.0.1:3000/staging${versionPath}

The key is never printed. Use a key that nobody else uses, because other requests would change the
counters that are checked. The smoke test reads all orders once. --alarm-topic needs AWS credentials.

Exit code: 0 if everything is as documented, 1 otherwise.`,
    );

/** The longest wait for the stage, which is more than the 29 seconds after which API Gateway itself gives up. */
const timeoutMs = 30_000;

/** Runs the command. Resolves with its exit code. */
export async function smokeTest(argv: readonly string[], io: SmokeIo): Promise<number> {
  try {
    const options = parseCommandLine<FurtherChecks & { readonly url?: URL }>(command(), argv);
    if (options === undefined) return 0;
    const { url } = options;
    if (!url) throw new OperatorError("--url is missing: use the stack's output BaseUrl");
    const key = (io.environment.ORDERS_KEY || (await io.readInput()))?.trim();
    if (!key) throw new OperatorError('the API key is missing: set ORDERS_KEY, or pipe the key');
    const stage = new Stage(io.send ?? senderTo(url, timeoutMs), key);
    await preflight(stage);
    return (await runChecks(selectChecks(options), stage)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // An answer or a mistyped option may contain a key, and a wrong server can send control characters.
    console.error(printable(`smoke: ${error.message}`));
    return 1;
  }
}

/** The host names of this machine. A parsed URL has every IPv4 address as four decimal numbers. */
const thisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  const isPrivate =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && thisMachine.test(url.hostname));
  if (isPrivate && url.href.endsWith(versionPath)) return url;
  const expected = `https://…${versionPath}; http:// only on this machine, because it is not encrypted`;
  throw new InvalidValueError('--url', text, expected);
}
