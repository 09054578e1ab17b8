import { describe, expect, it } from '@jest/globals';
import { type Field, tableText } from '../../console/view.ts';

interface View {
  readonly id: string;
  readonly name: string | null;
  readonly count: string;
}

const fields: readonly Field<View>[] = [
  { name: 'name', of: ({ name }) => name },
  { name: 'last used', of: () => 'never' },
  { name: 'count', of: ({ count }) => count, isNumber: true },
  { name: 'id', of: ({ id }) => id },
];
const views = [
  { id: 'own_1', name: 'Acme Limited Company', count: '1,000' },
  { id: 'own_2', name: 'I\u001b', count: '7' },
  { id: 'own_3', name: null, count: '12' },
];

describe('a table', () => {
  it('has aligned columns, with numbers on the right', () => {
    expect(tableText(fields, views)).toBe(
      `NAME                  LAST USED  COUNT  ID
Acme Limited Company  never      1,000  own_1
I\\u001b               never          7  own_2
-                     never         12  own_3`,
    );
  });
});
