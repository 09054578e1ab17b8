import { globSync, readFileSync } from 'node:fs';
import { it } from '@jest/globals';
import { expectAgreement } from '../../../test/helpers/agreement.ts';

/*
 * The titles of tests begin with the numbers of rules in docs/requirements.md. Comparing both shows a rule
 * that has lost its last test, and a title that cites no rule.
 */

const page = 'docs/requirements.md';

/** A rule begins with its number in bold, and ends before the next rule or heading. */
const beginning = /^(?=\*\*[RI]\d|#)/m;

/** A text that begins with the numbers of one or more rules, with commas between them, and a colon. */
const citation = /['"`](?<numbers>[RI]\d+(?:, [RI]\d+)*): /g;

/** The numbers of the rules that can be tested, such as R12, or I3 for an interpretation. */
const tested = readFileSync(page, 'utf8')
  .split(beginning)
  .filter((text) => !text.includes('Nothing to test.'))
  .flatMap((text) => /^\*\*([RI]\d+)\b/.exec(text)?.[1] ?? []);

// The smoke test's checks also run as tests, and their titles are in its sources.
const files = globSync(['test/**/*.ts', 'tools/smoke/**/*.ts', 'tools/*/test/**/*.ts'], {
  exclude: (name) => ['node_modules', '.cache', 'cdk.out'].includes(String(name)),
});

const cited = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(citation)].flatMap(({ groups }) =>
    groups!.numbers!.split(', '),
  ),
);

it('the requirements are each cited by the title of a test, unless there is nothing to test', () => {
  expectAgreement([page, tested], ['the titles of the tests', cited]);
});
