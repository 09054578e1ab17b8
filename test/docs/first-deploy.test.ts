import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stageNames } from '../../lib/settings/stages.ts';
import { selectChecks } from '../../smoke/run.ts';
import { variablesReadFor } from '../helpers/read-variables.ts';

const page = readFileSync('docs/first-deploy.md', 'utf8');

describe('docs/first-deploy.md', () => {
  it('has every variable that a deployment and its smoke test read, and no other', () => {
    const documented = rowsAfter('## Variables').flatMap(
      ([names]) => names!.match(/\b[A-Z_]{3,}\b/g)!,
    );

    expect(documented.sort()).toEqual(
      [...stageNames.flatMap(variablesReadFor), ...otherVariables()].sort(),
    );
  });

  it('names checks that the smoke test makes', () => {
    const titles = selectChecks({
      ...{ limits: true, wait: false, quick: false, http2: true },
      expectLimits: { perMinute: 5_000, perDay: 2_000_000 },
    }).map(({ title }) => title);
    const named = rowsAfter('## Smoke test').map((cells) => cells.at(-1)!.replaceAll('`', ''));

    expect(named).not.toEqual([]);
    const known = [...titles, readFileSync('smoke/smoke-test.ts', 'utf8')].join('\n');
    for (const title of named) expect(known).toContain(title);
  });

  it('leads only to sections and files that exist', () => {
    const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target!);

    for (const target of targets) {
      const [file = '', section] = target.split('#');
      const path = file === '' ? 'docs/first-deploy.md' : join('docs', file);
      expect([target, existsSync(path)]).toEqual([target, true]);
      if (section) expect(sectionsOf(readFileSync(path, 'utf8'))).toContain(section);
    }
  });
});

/** What else the sources read by name: a deployment's entry point, and the smoke test. */
function otherVariables(): string[] {
  const files = ['bin/app.ts', ...sourcesIn('lib/settings'), ...sourcesIn('smoke')];
  const reads = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/\b(?:process\.env|environment)\.([A-Z][A-Z_]+)/g),
  ]);
  return [...new Set(reads.map(([, name]) => name!))];
}

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
}

/** The cells of the first table of a section, without its heading. */
function rowsAfter(heading: string): string[][] {
  const [section = ''] = page.slice(page.indexOf(`\n${heading}\n`) + 1).split(/\n(?=## )/);
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function sectionsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}
