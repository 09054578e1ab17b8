import { expect, it } from '@jest/globals';
import { tableText } from '../../console/view.ts';

it('a table has aligned columns, with numbers on the right', () => {
  const rows = [
    { name: 'Acme Limited Company', 'last used': 'never', count: 1_000, id: 'own_1' },
    { name: 'I\u001b', 'last used': 'never', count: null, id: 'own_2' },
    { name: null, 'last used': 'never', count: 12, id: 'own_3' },
  ];

  expect(tableText(rows)).toBe(
    `NAME                  LAST USED  COUNT  ID
Acme Limited Company  never      1,000  own_1
I\\u001b               never          -  own_2
-                     never         12  own_3`,
  );
});
