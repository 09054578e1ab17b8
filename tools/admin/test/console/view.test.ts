import { describe, expect, it } from '@jest/globals';
import { type Field, tableText } from '../../console/view.ts';

interface View {
  readonly id: string;
  readonly name: string | null;
  readonly count: string;
}

const fields: readonly Field<View>[] = [
  { name: 'id', of: ({ id }) => id, importance: 1 },
  { name: 'name', of: ({ name }) => name, isCuttable: true },
  { name: 'count', of: ({ count }) => count, isNumber: true, importance: 2 },
  { name: 'last used', of: () => 'never' },
];
const views = [
  { id: 'own_1', name: 'Acme 日本 Limited Company', count: '1,000' },
  { id: 'own_2', name: 'I\u001b', count: '7' },
  { id: 'own_3', name: null, count: '12' },
];

describe('a table', () => {
  it('has aligned columns, with numbers on the right, and all of them in a pipe', () => {
    expect(tableText(fields, views)).toBe(
      `ID     NAME                       COUNT  LAST USED
own_1  Acme 日本 Limited Company  1,000  never
own_2  I\\u001b                        7  never
own_3  -                             12  never`,
    );
  });

  it('cuts names before it leaves a column out of a terminal', () => {
    expect(tableText(fields, views, '', 40).split('\n').slice(0, 2)).toEqual([
      'ID     NAME             COUNT  LAST USED',
      'own_1  Acme 日本 Limi…  1,000  never',
    ]);
  });

  it.each([
    [35, 'NAME               COUNT  LAST USED', 'Left out: ID '],
    [25, 'NAME            LAST USED', 'Left out: ID, COUNT '],
  ])(
    'leaves its least important columns out of a terminal of %i columns, and names them',
    (...given) => {
      const [columns, heading, note] = given;

      const lines = tableText(fields, views, '', columns).split('\n');

      expect(lines[0]).toBe(heading);
      expect(lines.at(-1)).toBe(`${note}(--json has them)`);
    },
  );

  it('keeps what nobody may leave out, however narrow the terminal is', () => {
    expect(tableText(fields, views, '', 5)).toMatch(/^NAME +LAST USED\n/);
  });
});
