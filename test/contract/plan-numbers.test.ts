import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { capitalized } from '../../lib/settings/names.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { differences } from '../helpers/differences.ts';

/*
 * lib/settings/plans.ts is compared with the requirements in test/lib/settings.test.ts. The tables that
 * show a plan's numbers to people are compared with it here.
 */

const published = planNames.filter((name) => !plans[name].limitsPerOwner);
const documents = globSync(['README.md', 'openapi.yaml', 'docs/**/*.md']);
const withTable = documents.filter((file) => tableRows(readFileSync(file, 'utf8')).length > 0);

describe('the numbers of the plans', () => {
  it.each(withTable)('are those of the code in the table of %s', (file) => {
    const expected = published.map((name) => {
      const { perMinute, perDay } = plans[name];
      return `${capitalized(name)}: ${perMinute} a minute, ${perDay} a day`;
    });

    expect(
      differences(
        ['lib/settings/plans.ts', expected],
        [file, tableRows(readFileSync(file, 'utf8'))],
      ),
    ).toEqual([]);
  });

  it('are in a table of the contract and of the requirements', () => {
    expect(withTable).toEqual(expect.arrayContaining(['openapi.yaml', 'docs/requirements.md']));
  });
});

function tableRows(text: string): string[] {
  const titles: string[] = published.map(capitalized);
  return [...text.replaceAll(',', '').matchAll(/^\s*\| (\w+) \| (\d+) \| (\d+) \|$/gm)]
    .filter(([, title]) => titles.includes(title!))
    .map(([, title, minute, day]) => `${title}: ${minute} a minute, ${day} a day`);
}
