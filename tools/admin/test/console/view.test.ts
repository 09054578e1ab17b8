import { describe, expect, it } from '@jest/globals';
import { type Field, tableText } from '../../console/view.ts';

interface View {
  readonly id: string;
  readonly name: string | null;
  readonly count: string;
}

const fields: readonly Field<View>[] = [
  { name: 'name', of: ({ name }) => name, isCuttable: true },
  { name: 'last used', of: () => 'never' },
  { name: 'count', of: ({ count }) => count, isNumber: true },
  { name: 'id', of: ({ id }) => id },
];
const views = [
  { id: 'own_1', name: 'Acme 日本 Limited Company', count: '1,000' },
  { id: 'own_2', name: 'I\u001b', count: '7' },
  { id: 'own_3', name: null, count: '12' },
];

describe('a table', () => {
  it('has aligned columns, with numbers on the right, and all of them in a pipe', () => {
    expect(tableText(fields, views)).toBe(
      `NAME                       LAST USED  COUNT  ID
Acme 日本 Limited Company  never      1,000  own_1
I\\u001b                    never          7  own_2
-                          never         12  own_3`,
    );
  });

  it('cuts names before it leaves a column out of a terminal', () => {
    expect(tableText(fields, views, '', 40).split('\n').slice(0, 2)).toEqual([
      'NAME             LAST USED  COUNT  ID',
      'Acme 日本 Limi…  never      1,000  own_1',
    ]);
  });

  it.each([
    [34, 'NAME              LAST USED  COUNT', 'Left out: ID '],
    [25, 'NAME            LAST USED', 'Left out: COUNT, ID '],
    [5, 'NAME', 'Left out: LAST USED, COUNT, ID '],
  ])('leaves its last columns out of a terminal of %i columns, and names them', (...given) => {
    const [columns, heading, note] = given;

    const lines = tableText(fields, views, '', columns).split('\n');

    expect(lines[0]).toBe(heading);
    expect(lines.at(-1)).toBe(`${note}(--json has them)`);
  });
});
