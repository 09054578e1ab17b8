import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** The specification's numbered rules, by section and how many it has, and what it states in tables. */
const rules = [
  ...numbered('What the service does, rule', 5),
  ...numbered('List rule', 3),
  ...numbered('Cancel rule', 4),
  ...numbered('Authentication rule', 4),
  ...numbered('Limits rule', 6),
  // The other two say what is not known.
  ...numbered('Versioning rule', 4),
  'Resources, Order',
  'Resources, Error',
  'States',
  'Errors, 429',
  'Limits, plan enterprise',
];

function numbered(section: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${section} ${index + 1}`);
}

/** What the titles of all tests name before their first colon. */
function namedInTitles(): Set<string> {
  const named = new Set<string>();
  for (const file of testFiles()) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8');
    for (const [, name] of source.matchAll(titleBeginning)) named.add(name!);
  }
  return named;
}

// The first text after `it(` or after the table of `it.each(…)`, at the beginning of its line or call.
const titleBeginning = /(?:\bit\(|\)\(|^)\s*['"`]([A-Z][\w ,]*?\d*):/gm;

function testFiles(): string[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.test.ts') && !file.startsWith('specification-'));
}

describe('specification', () => {
  const named = namedInTitles();

  it.each(rules)('is tested where it says: %s', (rule) => {
    expect(named).toContain(rule);
  });

  it('has no other rules than those', () => {
    const mistaken = [...named].filter((name) => / rule \d+$/.test(name) && !rules.includes(name));

    expect(mistaken).toEqual([]);
  });
});
