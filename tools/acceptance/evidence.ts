import { InterruptedError, reasonOf } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';

/** A check has seen something else than it expects. The message is what it has seen. */
export class Differs extends Error {}

const verdicts = ['✓', '✗ differs', '– could not be checked', '– the emulator lacks it'] as const;
const [expected, different, unchecked, lacking] = verdicts;

/** What was checked, what was expected, what was seen, and the verdict. */
type Row = readonly [what: string, expected: string, seen: string, (typeof verdicts)[number]];

/** The rows of a page of evidence. */
export class Evidence {
  readonly #rows: Row[] = [];
  readonly #lacking: readonly string[];

  /** @param lacking the rows that are known not to be as expected, because an emulator lacks something */
  constructor(lacking: readonly string[]) {
    this.#lacking = lacking;
  }

  /**
   * Makes a check, and adds a row with what it has seen.
   *
   * @param check returns what it has seen if that is as expected, and throws `Differs` if not. Any other error
   *   means that it could not be made
   * @throws InterruptedError if the user has ended the run
   */
  async add(what: string, expectation: string, check: () => Promise<string>): Promise<void> {
    const [found, seen] = await check().then(
      (text) => [expected, text] as const,
      (error) => {
        if (error instanceof InterruptedError) throw error;
        return [error instanceof Differs ? different : unchecked, reasonOf(error)] as const;
      },
    );
    const known = found === expected ? different : lacking;
    const verdict = this.#lacking.includes(what) ? known : found;
    this.#rows.push([what, expectation, printable(seen), verdict]);
    console.error(`${verdict} ${what}: ${printable(seen)}`);
  }

  /** Whether all rows are as expected, or are known to lack something and still do. */
  get isGood(): boolean {
    return this.#rows.every(([, , , verdict]) => verdict === expected || verdict === lacking);
  }

  /** The rows as a table in Markdown. */
  get markdown(): string {
    const rows = [['what', 'expected', 'seen', ''], ['---', '---', '---', '---'], ...this.#rows];
    const lines = rows.map((cells) => cells.map((text) => text.replaceAll('|', '\\|')).join(' | '));
    return lines.map((line) => `| ${line} |`).join('\n');
  }
}
