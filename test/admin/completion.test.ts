import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { planNames } from '../../lib/settings/plans.ts';
import { stageNames } from '../../lib/settings/stages.ts';
import { temporaryDirectoryOfFile } from '../helpers/temporary-directory.ts';
import { admin } from './run-admin.ts';

const globalOptions = ['--help', '--json', '--local', '--stage'];

/** What is typed, the last word up to the tabulator key, and what is offered for it. */
const offers: [string[], readonly string[]][] = [
  [[''], ['completion', 'keys', 'orders', 'owners', ...globalOptions]],
  [['ow'], ['owners']],
  [['keys', 're'], ['revoke']],
  [['--stage', 'prod', 'keys', 'ro'], ['rotate']],
  [['keys', 'list', '--status', 'b'], ['banned']],
  [['--stage', ''], stageNames],
  [['keys', 'issue', '--plan', ''], planNames],
  [['owners', 'set-plan', 'Acme', 'ent'], ['enterprise']],
  [['keys', 'list', '--owner', 'l'], []],
  [['keys', 'issue', '--owner', 'list', '--la'], ['--label']],
  [
    ['orders', 'import', 'new'],
    ['new orders.jsonl', 'new.csv'],
  ],
  [['orders', 'export', '--out', 'new.'], ['new.csv']],
  [
    ['orders', 'export', '--format', 'js'],
    ['json', 'jsonl'],
  ],
  [['completion', 'z'], ['zsh']],
];

const directory = temporaryDirectoryOfFile();
let script: string;

beforeAll(async () => {
  directory.write('new.csv', '');
  directory.write('new orders.jsonl', '');
  script = (await admin(['completion', 'bash'])).stdout;
});

/** Presses the tabulator key in a real shell, because nothing in this process can imitate one. */
function offered(commandLines: string[][]): string[][] {
  const quoted = (word: string) => `'${word}'`;
  const presses = commandLines.map(
    (words) =>
      `COMP_WORDS=(admin ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}; ` +
      '_store_orders_admin; printf "%s\\n" "${COMPREPLY[@]}" --; ',
  );
  const text = execFileSync('bash', ['-c', `${script}\ncomplete -p admin\n${presses.join('\n')}`], {
    cwd: directory.path,
    encoding: 'utf8',
  });
  const [registered, ...rest] = text.split('\n');
  expect(registered).toBe('complete -F _store_orders_admin admin');
  return rest
    .join('\n')
    .split('--\n')
    .slice(0, -1)
    .map((words) => words.split('\n').filter(Boolean).sort());
}

describe('completion', () => {
  it('offers commands, options, the values they take, and files', () => {
    const found = offered(offers.map(([words]) => words));

    expect(offers.map(([words], index) => [words, found[index]])).toEqual(
      offers.map(([words, expected]) => [words, [...expected].sort()]),
    );
  });

  it('is the same for zsh, which takes the functions of bash', async () => {
    const { stdout } = await admin(['completion', 'zsh']);

    expect(stdout).toBe(`autoload -U +X bashcompinit && bashcompinit\n${script}`);
  });

  it('runs the program of this directory from any other, whatever its name', async () => {
    expect(script).toMatch(/^admin\(\) \{ npm --prefix '.+' run --silent admin -- "\$@"; \}$/m);
  });
});
