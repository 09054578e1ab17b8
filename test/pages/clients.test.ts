import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { contractDocument, errorsOf } from '../contract/contract.ts';
import { expectContained } from '../helpers/agreement.ts';

it('docs/clients.md says what to do about errors of the contract', () => {
  const page = readFileSync('docs/clients.md', 'utf8');
  const [section = ''] = page.slice(page.indexOf('\n## Errors\n') + 1).split(/\n(?=## )/);
  const described = [...section.matchAll(/(\d{3}) `(\w+)`/g)].map(
    ([, status, code]) => `${status} ${code}`,
  );
  const documented = errorsOf(contractDocument.components.responses);

  expect(described.length).toBeGreaterThan(5);
  expectContained(
    ['docs/clients.md, Errors', described],
    [
      'openapi.yaml, components.responses',
      documented.map((error) => `${error.status} ${error.code}`),
    ],
  );
});
