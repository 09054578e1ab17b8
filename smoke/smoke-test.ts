import { join } from 'node:path';
import { OperatorError } from '../shared/errors.ts';
import { parseOptions, type SmokeOptions } from './options.ts';
import { jsonReporter, summarize, textReporter } from './report.ts';
import { type Result, runChecks, selectChecks } from './run.ts';
import { Contract } from './stage/contract.ts';
import { HttpClient } from './stage/http-client.ts';
import { preflight } from './stage/preflight.ts';
import { Stage } from './stage/stage.ts';

export interface Output {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

const contractFile = join(import.meta.dirname, '..', 'openapi.yaml');

/** The whole command; resolves to its exit code. */
export async function smokeTest(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  unsafeOutput: Output,
): Promise<number> {
  const output = withoutKeys(unsafeOutput);
  try {
    const options = parseOptions(argv, environment);
    return options === undefined ? 0 : await walkContract(options, output);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    output.printError(`smoke: ${error.message}`);
    return 1;
  }
}

async function walkContract(options: SmokeOptions, { print }: Output): Promise<number> {
  const { url, key, wait, json } = options;
  const client = new HttpClient(url, options.timeout * 1000);
  const reporter = (json ? jsonReporter : textReporter)(url.href, print);
  const startedAt = performance.now();
  try {
    const stage = new Stage(client, Contract.read(contractFile), key);
    await preflight(stage, wait);
    reporter.begin();
    const results: Result[] = [];
    for await (const result of runChecks(stage, selectChecks(options))) {
      reporter.result(result);
      results.push(result);
    }
    reporter.end(results, performance.now() - startedAt);
    return summarize(results).failed === 0 ? 0 : 1;
  } finally {
    client.close();
  }
}

/** Hides whatever looks like a key: a wrong stage may repeat one, a person may mistype an option. */
function withoutKeys({ print, printError }: Output): Output {
  const hide = (line: string) => line.replace(/so_(live|test)_[0-9A-Za-z]+/g, 'so_$1_<hidden>');
  return { print: (line) => print(hide(line)), printError: (line) => printError(hide(line)) };
}
