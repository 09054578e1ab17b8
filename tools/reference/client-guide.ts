import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The guide to writing a client, as Markdown. */
export function clientGuide(): string {
  return readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');
}

/** What the guide's table of errors says to do about each code, as Markdown. */
export function adviceByCode(): ReadonlyMap<string, string> {
  const rows = clientGuide().matchAll(/^\| \d{3} \| `(\w+)` \|.*\| (.+) \|$/gm);
  return new Map(
    [...rows].map(([, code, advice]) => [code!, advice!.replaceAll('](#', '](clients.md#')]),
  );
}
