import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { gatewayKeyRows, requestRows, tlsRow } from '../../acceptance/gateway-rows.ts';
import { operatorRows } from '../../acceptance/operator-commands.ts';
import { importRow, outageRows } from '../../acceptance/outage-rows.ts';

const rows = [...gatewayKeyRows, ...operatorRows, importRow, ...requestRows, ...outageRows, tlsRow];

it.each(rows)('the row "$title" quotes the page that depends on it: $group', ({ group }) => {
  const [, page, words] = /^(docs\/[-\w]+\.md): (.+)$/.exec(group)!;

  expect(readFileSync(page!, 'utf8').replaceAll(/\s+/g, ' ')).toContain(words);
});
