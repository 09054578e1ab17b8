import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { alarmChecks } from './alarms.ts';
import { cancellationChecks, exhaustionChecks, type StageCheck, usualChecks } from './checks.ts';
import { type KeySources, parseOptions, readKey, type SmokeOptions } from './options.ts';
import { Runner } from './runner.ts';
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
  // After an error of this class, no other check would say anything about the stage.
  const runner = new Runner(io.print, (error) => error instanceof OperatorError);
  await runner.run(selectChecks(options), stage);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  io.print(`\n${runner.summary} in ${seconds} s`);
  return runner.isGood ? 0 : 1;
}

/** The selected checks. The check that uses up the key's limit comes last. */
export function selectChecks(options: Omit<SmokeOptions, 'url'>): StageCheck[] {
  const { cancelOrder, limits, alarmTopic } = options;
  return [
    ...usualChecks,
    ...(alarmTopic === undefined ? [] : alarmChecks(alarmTopic)),
    ...(cancelOrder === undefined ? [] : cancellationChecks(cancelOrder)),
    ...(limits ? exhaustionChecks : []),
  ];
}
