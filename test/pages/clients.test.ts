import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import { contractDocument as contract } from '../contract/contract.ts';
import { expectAgreement, expectContained } from '../helpers/agreement.ts';
import { rowsAfter } from './markdown.ts';

const page = readFileSync('docs/clients.md', 'utf8');

describe('docs/clients.md', () => {
  it('says what to do about errors of the contract', () => {
    const [section = ''] = page.slice(page.indexOf('\n## Errors\n') + 1).split(/\n(?=## )/);
    const described = [...section.matchAll(/(\d{3}) `(\w+)`/g)].map(
      ([, status, code]) => `${status} ${code}`,
    );

    expect(described.length).toBeGreaterThan(5);
    expectContained(
      ['docs/clients.md, Errors', described],
      ['openapi.yaml, components.responses', documentedErrors()],
    );
  });

  it('states the numbers of lib/settings/plans.ts', () => {
    const number = new Intl.NumberFormat('en');
    const rows = Object.entries(plans).map(([name, plan]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      plan.limitsPerOwner ? 'custom' : number.format(plan.perMinute),
      plan.limitsPerOwner ? 'custom' : number.format(plan.perDay),
      number.format(plan.toleratedRejectionsPerMinute),
    ]);

    expectAgreement(
      ['lib/settings/plans.ts', rows.map(String)],
      ['docs/clients.md, Plans', rowsAfter('## Plans', page).map(String)],
    );
    expectAgreement(
      ['lib/settings/plans.ts', Object.values(plans).map(({ banSeconds }) => `${banSeconds} s`)],
      ['docs/clients.md, Bans', /is banned for (\d+ s)\./.exec(page)?.slice(1) ?? []],
    );
  });
});

function documentedErrors(): string[] {
  const { responses } = contract.components;
  // biome-ignore lint/suspicious/noExplicitAny: the contract's own shape
  const contents = Object.values<any>(responses).map(({ content }) => content['application/json']);
  const examples = contents.flatMap((content) =>
    Object.values<{ value: { status: number; code: string } }>(content.examples),
  );
  return examples.map(({ value: { status, code } }) => `${status} ${code}`);
}
