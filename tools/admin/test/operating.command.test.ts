import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { anyKeyPrefix } from '../../../lib/settings/stages.ts';
import { templateFile } from '../../../test/helpers/synthesized.ts';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { startLocalService } from '../../local/test/aws/local-service.ts';

/** A command in docs/operating.md, with its output. */
interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

const markdown = readFileSync('docs/operating.md', 'utf8');
const blocks = [...markdown.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, block]) => block!);
const documentedOrigin = 'http://127.0.0.1:3000';
// Each command starts a process.
const timeoutMs = 240_000;
const mark = '--- next command ---';
const directory = temporaryDirectoryOfFile();

it(
  'docs/operating.md shows commands that run as they are pasted, and print what it says',
  async () => {
    const documented = documentedCommands();
    const service = await startLocalService({
      templateFile: templateFile('staging'),
      stackName: stackName('staging'),
      log: () => {},
    });

    const printed = await runAll(documented, service.origin).finally(() => service.close());

    expect(printed.map(comparable)).toEqual(documented.map(comparable));
  },
  timeoutMs,
);

/** The lines of code blocks that begin with a prompt, each with the lines that follow it. */
function documentedCommands(): ShownCommand[] {
  const parts = blocks.flatMap((block) => block.split(/^\$ /m).slice(1));
  return parts.map((part) => {
    const [command, ...output] = part.split('\n');
    return { command: command!, output: output.join('\n') };
  });
}

/** Runs the commands in one shell, in an empty directory. */
async function runAll(
  documented: readonly ShownCommand[],
  origin: string,
): Promise<ShownCommand[]> {
  const target = blocks
    .find((block) => block.includes('ORDERS_LOCAL='))!
    .replace(documentedOrigin, origin);
  symlinkSync(resolve('admin'), join(directory.path, 'admin'));
  const marked = documented.map(({ command }) => `${command}\necho '${mark}'`);
  const shell = spawn('bash', ['-c', ['exec 2>&1', target, ...marked].join('\n')], {
    cwd: directory.path,
    env: { PATH: process.env.PATH, XDG_STATE_HOME: directory.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const outputs = (await text(shell.stdout))
    .replaceAll(`stage staging at ${origin}\n`, '')
    .replaceAll(origin, documentedOrigin)
    .split(`${mark}\n`);
  return documented.map(({ command }, index) => ({ command, output: outputs[index]! }));
}

/** Replaces the values that differ between runs: ids, tokens and their last characters, times, durations. */
function comparable({ command, output }: ShownCommand): ShownCommand {
  const replaced = output
    .replaceAll(/\b(key|own)_[0-9A-Za-z]{20,32}\b/g, '$1_…')
    .replaceAll(new RegExp(`${anyKeyPrefix}(…|[0-9A-Za-z]{46})`, 'g'), 'token')
    .replaceAll(/…[0-9A-Za-z]{4}\b/g, '…last')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'moment')
    .replaceAll(/in \d+\.\d s/g, 'in some seconds');
  return { command, output: replaced.trim() };
}
