import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { plans } from '../../lib/settings/plans.ts';
import { contractDocument as contract, operations } from '../contract/contract.ts';
import { expectAgreement } from '../helpers/agreement.ts';
import { rowsAfter } from './markdown.ts';

const page = readFileSync('docs/clients.md', 'utf8');

describe('docs/clients.md', () => {
  it('says what to do about every error of the contract, and about no other', () => {
    const described = rowsAfter('## Errors', page).map(([error]) => error!);

    expectAgreement(
      ['openapi.yaml, components.responses', documentedErrors()],
      ['docs/clients.md, Errors', described],
    );
  });

  it('begins with the operations of the contract, and the statuses of their responses', () => {
    const [, common = ''] = /\| errors, besides ([\d, ]+) \|/.exec(page) ?? [];
    const stated = rowsAfter('## Operations', page).map(([operation, , success, errors]) => {
      const statuses = `${success}, ${errors}, ${common}`.match(/\d{3}/g)!;
      return `${operation} ${statuses.sort()}`;
    });
    const documented = operations.map(
      ({ method, path, responses }) => `${method} ${path} ${Object.keys(responses).sort()}`,
    );

    expect(page.indexOf('## Operations')).toBe(page.indexOf('##'));
    expectAgreement(['openapi.yaml, paths', documented], ['docs/clients.md, Operations', stated]);
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

  it('explains every header of the contract, and no other', () => {
    const explained = rowsAfter('## Headers', page).flatMap(([names]) => names!.split(', '));

    expectAgreement(
      ['openapi.yaml, components.headers', Object.keys(contract.components.headers)],
      ['docs/clients.md, Headers', explained],
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
