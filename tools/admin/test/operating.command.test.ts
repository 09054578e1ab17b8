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

const blocks = readFileSync('docs/operating.md', 'utf8').matchAll(/^```\w*\n(.*?)^```$/gms);
const shown = Array.from(blocks, ([, block]) => block!);
const documentedOrigin = 'http://127.0.0.1:3000';
// Each command starts a process.
const timeoutMs = 240_000;
const directory = temporaryDirectoryOfFile();

it(
  'docs/operating.md shows commands that run as they are pasted, and print what it says',
  async () => {
    // A command follows a prompt, and its output follows the command.
    const documented = shown.flatMap((block) => block.split(/^(?=\$ )/m)).filter(isCommand);
    const service = await startLocalService({
      templateFile: templateFile('staging'),
      stackName: stackName('staging'),
      log: () => {},
    });

    const commands = documented.map((part) => part.slice(2).split('\n')[0]!);
    const printed = await runAll(commands, service.origin).finally(() => service.close());

    expect(comparable(printed)).toBe(comparable(documented.join('')));
  },
  timeoutMs,
);

function isCommand(part: string): boolean {
  return part.startsWith('$ ');
}

/** Runs commands in one shell, in an empty directory. Returns what a terminal shows. */
async function runAll(commands: readonly string[], origin: string): Promise<string> {
  const target = shown
    .find((block) => block.includes('ORDERS_LOCAL='))!
    .replace(documentedOrigin, origin);
  symlinkSync(resolve('admin'), join(directory.path, 'admin'));
  const script = commands.map((command) => `cat <<'END'\n$ ${command}\nEND\n${command}`);
  const shell = spawn('bash', ['-c', ['exec 2>&1', target, ...script].join('\n')], {
    cwd: directory.path,
    env: { PATH: process.env.PATH, XDG_STATE_HOME: directory.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (await text(shell.stdout)).replaceAll(origin, documentedOrigin);
}

/** Replaces the values that differ between runs: ids, tokens and their last characters, times, durations. */
function comparable(transcript: string): string {
  return transcript
    .replaceAll(/\b(key|own)_[0-9A-Za-z]{20,32}\b/g, '$1_…')
    .replaceAll(new RegExp(`${anyKeyPrefix}(…|[0-9A-Za-z]{46})`, 'g'), 'token')
    .replaceAll(/…[0-9A-Za-z]{4}\b/g, '…last')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'moment')
    .replaceAll(/in \d+\.\d s/g, 'in some seconds')
    .replaceAll(/\n{2,}/g, '\n');
}
