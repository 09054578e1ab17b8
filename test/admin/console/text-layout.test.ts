import { describe, expect, it } from '@jest/globals';
import { cutTo, displayWidth } from '../../../admin/console/display-width.ts';
import { type Column, table } from '../../../admin/console/text-layout.ts';

const id = 'key_m6T6VDyL02CoMZCNIL33NuGA6DdaTEDC';

const columns: Column<string[]>[] = [
  { heading: 'KEY ID', cell: ([keyId]) => keyId! },
  { heading: 'OWNER', cell: ([, owner]) => owner!, isCuttable: true },
  { heading: 'PLAN', cell: ([, , plan]) => plan! },
  { heading: 'CREATED', cell: ([, , , created]) => created! },
];
const row = (owner: string) => [id, owner, 'business', '2026-11-21T13:34:54.265Z'];

describe('table', () => {
  it('is as wide as it needs to be where a program reads', () => {
    const name = 'x'.repeat(200);

    const [heading, line, ...others] = table(columns, [row(name)]).split('\n');

    expect(heading).toMatch(/^KEY ID +OWNER +PLAN +CREATED$/);
    expect(line).toBe(`${id}  ${name}  business  2026-11-21T13:34:54.265Z`);
    expect(others).toEqual([]);
  });

  it('cuts long names where that lets a row keep its line', () => {
    const [, line] = table(columns, [row('Acme and very many sons of its founder')], 100).split(
      '\n',
    );

    expect(line).toBe(`${id}  Acme and very many sons…  business  2026-11-21T13:34:54.265Z`);
  });

  it('goes on in a second line where a row is wider than the terminal', () => {
    expect(table(columns, [row('Acme Ltd'), row('Globex')], 80).split('\n')).toEqual([
      'KEY ID                                OWNER     PLAN',
      '  CREATED',
      `${id}  Acme Ltd  business`,
      '  2026-11-21T13:34:54.265Z',
      `${id}  Globex    business`,
      '  2026-11-21T13:34:54.265Z',
    ]);
  });

  it.each([200, 120, 80, 60, 40])('fits %i columns and never cuts an id', (width) => {
    const text = table(columns, [row('x'.repeat(300)), row('店'.repeat(50))], width);

    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(text.split(id)).toHaveLength(3);
    expect(text).toContain('2026-11-21T13:34:54.265Z');
  });

  it('keeps its columns beside wide letters and escaped control characters', () => {
    const lines = table(columns, [row('店名'), row('\u001b[1m'), row('Acme')])
      .split('\n')
      .slice(1);

    const places = lines.map((line) => displayWidth(line.slice(0, line.indexOf('business'))));
    expect(new Set(places).size).toBe(1);
  });
});

describe('cutTo', () => {
  it.each([
    ['Acme', 4, 'Acme'],
    ['Acme Ltd', 6, 'Acme …'],
    ['店名店名', 5, '店名…'],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('makes %j fit %i columns, letter by letter', (text, width, expected) => {
    expect(cutTo(text, width)).toBe(expected);
  });
});
