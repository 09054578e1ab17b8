import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { acceptanceRows } from '../../acceptance/rows.ts';

const rows = acceptanceRows('arn:aws:sns:eu-west-1:111122223333:Alarms');

it.each(rows.filter(({ group }) => group.startsWith('docs/')))(
  'the row "$title" quotes the page that depends on it: $group',
  ({ group }) => {
    const [, page, words] = /^(docs\/[-\w]+\.md): (.+)$/.exec(group)!;

    expect(readFileSync(page!, 'utf8').replaceAll(/\s+/g, ' ')).toContain(words);
  },
);
