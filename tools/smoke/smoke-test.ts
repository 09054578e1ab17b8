import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import {
  type Check,
  CheckSkipped,
  cancellationChecks,
  exhaustionChecks,
  usualChecks,
} from './checks.ts';
import { type KeySources, parseOptions, readKey, type SmokeOptions } from './options.ts';
import { type Send, senderTo } from './stage/http-client.ts';
import { preflight } from './stage/preflight.ts';
import { Stage } from './stage/stage.ts';

interface SmokeIo extends KeySources {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** @default - to the stage */
  readonly send?: Send | undefined;
  /** Waits between the requests of the preflight. @default - real time */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** The longest wait for the stage, which is more than the 29 seconds after which API Gateway itself gives up. */
const timeoutMs = 30_000;

const marks = { passed: '✓', failed: '✗', skipped: '–' };

type Outcome = keyof typeof marks;

/** Runs the command. Resolves with its exit code. */
export async function smokeTest(argv: readonly string[], unsafeIo: SmokeIo): Promise<number> {
  // An answer or a mistyped option may contain a key, and a wrong server can send control characters.
  const io: SmokeIo = {
    ...unsafeIo,
    print: (line) => unsafeIo.print(printable(line)),
    printError: (line) => unsafeIo.printError(printable(line)),
  };
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
  const stage = new Stage(io.send ?? senderTo(options.url, timeoutMs), key);
  const startedMs = performance.now();
  io.print(`Smoke test of ${options.url.href}`);
  await preflight(stage, options.url.hostname, io.printError, io.sleep ?? sleep);
  const { passed, failed, skipped } = await runChecks(stage, selectChecks(options), io.print);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  io.print(`\n${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

/** The selected checks. The check that uses up the key's limit comes last. */
export function selectChecks({ cancelOrder, limits }: Omit<SmokeOptions, 'url'>): Check[] {
  return [
    ...usualChecks,
    ...(cancelOrder === undefined ? [] : cancellationChecks(cancelOrder)),
    ...(limits ? exhaustionChecks : []),
  ];
}

/** Runs the checks one after the other, because they share a key and its counters. */
async function runChecks(
  stage: Stage,
  checks: readonly Check[],
  print: (line: string) => void,
): Promise<Record<Outcome, number>> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let group = '';
  for (const check of checks) {
    if (check.group !== group) print(`\n${check.group.replace(/^.*: /, '')}`);
    group = check.group;
    const startedMs = performance.now();
    const [outcome, ...details] = await outcomeOf(check, stage);
    counts[outcome]++;
    print(`  ${marks[outcome]} ${check.title} (${Math.round(performance.now() - startedMs)} ms)`);
    for (const detail of details) print(`      ${detail}`);
  }
  return counts;
}

async function outcomeOf({ run }: Check, stage: Stage): Promise<[Outcome, ...string[]]> {
  try {
    await run(stage);
    return ['passed'];
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const outcome = error instanceof CheckSkipped ? 'skipped' : 'failed';
    return [outcome, ...(error as Error).message.split('\n')];
  }
}
