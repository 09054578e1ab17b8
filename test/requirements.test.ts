import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/*
 * The titles of tests begin with the numbers of the rules in docs/requirements.md that they hold, so
 * that no rule is without a test and no title cites a rule that there is not.
 */

const page = 'docs/requirements.md';
const root = join(import.meta.dirname, '..');

/** A text that begins with a rule's number, or several with commas between, and a colon. */
const citation = /['"`](?<numbers>[RI]\d+(?:, [RI]\d+)*): /g;

/** A rule begins with its number in bold and ends where the next one, or a heading, begins. */
const rules = readFileSync(join(root, page), 'utf8')
  .split(/^(?=\*\*[RI]\d|#)/m)
  .flatMap((text) => {
    const number = /^\*\*([RI]\d+)\b/.exec(text)?.[1];
    return number ? [{ number, needsTest: !text.includes('Nothing to test.') }] : [];
  });

const cited = new Set(
  globSync('{test,*/test,tools/*/test}/**/*.test.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(citation)].flatMap(({ groups }) =>
      groups!.numbers!.split(', '),
    ),
  ),
);

describe('the requirements', () => {
  it.each(rules)('$number is cited by a test, or there is nothing to test', (rule) => {
    expect({ rule: rule.number, isCited: cited.has(rule.number) }).toEqual({
      rule: rule.number,
      isCited: rule.needsTest,
    });
  });

  it('have a number each, and are all that titles cite', () => {
    const numbers = rules.map(({ number }) => number);

    expect(numbers).toEqual([...new Set(numbers)]);
    expect([...cited].filter((number) => !numbers.includes(number))).toEqual([]);
    expect(numbers).toContain('R1');
  });
});
