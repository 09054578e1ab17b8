import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { capitalized } from '../../lib/settings/names.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { expectAgreement } from '../helpers/agreement.ts';

const clients = 'docs/clients.md';
const documents = globSync(['README.md', 'openapi.yaml', 'docs/**/*.md']);
const tables = documents.flatMap((file) => {
  const rows = rowsIn(readFileSync(file, 'utf8'));
  return rows.length > 0 ? [[file, rows] as const] : [];
});

describe('the numbers of the plans', () => {
  it.each(tables)('R20: are those of the code in the table of %s', (file, rows) => {
    const expected = planNames.flatMap((name) => {
      const { perMinute, perDay, limitsPerOwner, toleratedRejectionsPerMinute } = plans[name];
      const limits = limitsPerOwner ? [] : [perMinute, perDay];
      const numbers = [...limits, ...(file === clients ? [toleratedRejectionsPerMinute] : [])];
      return numbers.length > 0 ? `${capitalized(name)} ${numbers}` : [];
    });

    expectAgreement(['lib/settings/plans.ts', expected], [file, rows]);
  });

  it('are in a table of the contract, of the requirements and of the page for clients', () => {
    const required = ['openapi.yaml', 'docs/requirements.md', clients];

    expect(tables.map(([file]) => file)).toEqual(expect.arrayContaining(required));
  });

  it('include the length of a ban, which the page for clients states', () => {
    const [, stated = ''] = /is banned for (\d+) s\./.exec(readFileSync(clients, 'utf8')) ?? [];
    const lengths = Object.values(plans).map(({ banSeconds }) => `${banSeconds}`);

    expectAgreement(['lib/settings/plans.ts', lengths], [clients, [stated]]);
  });
});

/** The plans' rows in the tables of a document, each with the numbers of its cells. */
function rowsIn(text: string): string[] {
  const titles = planNames.map(capitalized).join('|');
  const rows = text.replaceAll(',', '').matchAll(new RegExp(`^ *\\| (${titles}) (.*)$`, 'gm'));
  return [...rows].flatMap(([, title, cells]) => {
    const numbers = cells!.match(/\d+/g);
    return numbers ? `${title} ${numbers}` : [];
  });
}
