import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { capitalized } from '../../lib/settings/names.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { expectAgreement } from '../helpers/agreement.ts';

const published = planNames.filter((name) => !plans[name].limitsPerOwner);
const documents = globSync(['README.md', 'openapi.yaml', 'docs/**/*.md']);
const withTable = documents.filter((file) => tableRows(readFileSync(file, 'utf8')).length > 0);

const limits = published.map((name) => {
  const { perMinute, perDay } = plans[name];
  return `${perMinute} a minute, ${perDay} a day`;
});

describe('the numbers of the plans', () => {
  it.each(withTable)('R20: are those of the code in the table of %s', (file) => {
    const expected = published.map((name, index) => `${capitalized(name)}: ${limits[index]}`);

    expectAgreement(
      ['lib/settings/plans.ts', expected],
      [file, tableRows(readFileSync(file, 'utf8'))],
    );
  });

  it('are in a table of the contract and of the requirements', () => {
    expect(withTable).toEqual(expect.arrayContaining(['openapi.yaml', 'docs/requirements.md']));
  });
});

function tableRows(text: string): string[] {
  const titles: string[] = planNames.map(capitalized);
  return [...text.replaceAll(',', '').matchAll(/^\s*\| (\w+) \| (\d+) \| (\d+) \|$/gm)]
    .filter(([, title]) => titles.includes(title!))
    .map(([, title, minute, day]) => `${title}: ${minute} a minute, ${day} a day`);
}
