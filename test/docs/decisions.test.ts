import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const files = readdirSync('docs/adr').sort();

describe('the decisions in docs/adr', () => {
  it.each(files)('begin with the number of their file, and have a status: %s', (file) => {
    const [title = '', , status = ''] = readFileSync(`docs/adr/${file}`, 'utf8').split('\n');

    const number = Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]);
    expect(title).toMatch(new RegExp(`^# ${number}\\. `));
    expect(status).toMatch(/^Status: \w/);
  });

  it('have a number each, without gaps', () => {
    const expected = files.map((_, index) => String(index + 1).padStart(4, '0'));

    expect(files.map((file) => file.slice(0, 4))).toEqual(expected);
  });
});
