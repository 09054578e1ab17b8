import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { OperatorError } from '../shared/errors.ts';
import { escapeControls } from '../shared/escape-controls.ts';
import { type KeySources, readKey } from './key.ts';
import { parseOptions, type SmokeOptions } from './options.ts';
import { jsonReporter, summarize, textReporter } from './report.ts';
import { type Result, runChecks, selectChecks } from './run.ts';
import { type Clock, systemClock } from './stage/clock.ts';
import { Contract } from './stage/contract.ts';
import { HttpClient } from './stage/http-client.ts';
import { preflight } from './stage/preflight.ts';
import { Stage } from './stage/stage.ts';

/** The inputs and outputs of the command. */
interface SmokeIo extends KeySources {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** @default - the system's clock */
  readonly clock?: Clock;
}

/** The number of requests that the preflight makes when answers are steady at once. */
const preflightRequests = 5;
const requestsOfAllChecks = 40;
const requestsOfQuickChecks = 15;

const contractFile = join(import.meta.dirname, '..', 'openapi.yaml');
/** The contract is read only once per process, because compiling it takes longer than most runs. */
let contract: Contract | undefined;

/** Runs the command. Resolves with its exit code. */
export async function smokeTest(argv: readonly string[], unsafeIo: SmokeIo): Promise<number> {
  const io = printable(unsafeIo);
  try {
    const options = parseOptions(argv);
    return options === undefined ? 0 : await walkContract(options, await readKey(io), io);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    io.printError(`smoke: ${error.message}`);
    return 1;
  }
}

async function walkContract(options: SmokeOptions, key: string, io: SmokeIo): Promise<number> {
  const { url, wait, json, quick } = options;
  const { print, printError, clock = systemClock } = io;
  const client = new HttpClient(url, options.timeout * 1000);
  const reporter = (json ? jsonReporter : textReporter)(url.href, print);
  const startedAt = performance.now();
  try {
    contract ??= new Contract(parse(readFileSync(contractFile, 'utf8')));
    const stage = new Stage(client, contract, key, clock);
    reporter.begin();
    const waitedMs = await preflight(stage, {
      neededRequests: (quick ? requestsOfQuickChecks : requestsOfAllChecks) - preflightRequests,
      isWaitingAllowed: wait,
      clock,
      print: printError,
    });
    if (waitedMs > 0) printError(`Answers are steady, after ${Math.round(waitedMs / 1000)} s`);
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

/**
 * Hides keys in all output, because an answer or a mistyped option may contain one, and escapes what
 * could control the terminal, because the server may not be the one that it should be.
 */
function printable(io: SmokeIo): SmokeIo {
  const hide = (line: string) =>
    escapeControls(line).replace(/so_([a-z]+)_[0-9A-Za-z]+/g, 'so_$1_<hidden>');
  const { print, printError } = io;
  return {
    ...io,
    print: (line) => print(hide(line)),
    printError: (line) => printError(hide(line)),
  };
}
