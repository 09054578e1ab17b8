import { setTimeout as sleep } from 'node:timers/promises';
import { InterruptedError, reasonOf } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';

/** A text that has to occur in the result, or the minimum of the result. */
type Expected = string | number;

/** The address of an emulator; undefined for AWS itself. */
export const emulator = process.env.AWS_ENDPOINT_URL || undefined;

/** The longest wait, because metrics can be late by some minutes. In an emulator, they have no reason to be late. */
const [patienceMs, pauseMs] = emulator ? [2_000, 500] : [600_000, 5_000];

/** A table in Markdown. Its columns are the verdict, the check, the expected result, and the result. */
export class Evidence {
  markdown = '| verdict | what | expected | seen |\n| --- | --- | --- | --- |';
  isGood = true;

  /** Adds the result of a check, or the reason why it failed. @throws InterruptedError if the user ends the run */
  async add(what: string, expected: Expected, look: () => Promise<string>): Promise<void> {
    const [verdict, seen] = await look().then(
      (text) => [isIn(text, expected) ? 'as expected' : 'differs', text] as const,
      (error) => ['unchecked', failureText(error)] as const,
    );
    const expectation = typeof expected === 'number' ? `at least ${expected}` : expected;
    const cells = [verdict, what, expectation, printable(seen)];
    const row = `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
    console.error(row);
    this.markdown += `\n${row}`;
    this.isGood &&= verdict === 'as expected';
  }
}

/** The reason of a failure. @throws InterruptedError if the user has ended the run */
export function failureText(error: unknown): string {
  if (error instanceof InterruptedError) throw error;
  return reasonOf(error);
}

/** Repeats `look` until it returns the expected result, or the longest wait is over. @returns the last result */
export async function lookUntil(
  expected: Expected,
  look: () => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  for (const endMs = performance.now() + patienceMs; performance.now() < endMs; ) {
    const seen = await look().catch(() => undefined);
    if (seen !== undefined && isIn(seen, expected)) return seen;
    await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return look();
}

function isIn(seen: string, expected: Expected): boolean {
  return typeof expected === 'number' ? Number(seen) >= expected : seen.includes(expected);
}
