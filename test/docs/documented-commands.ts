import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A command line of a document and what the document says that it prints. */
interface DocumentedCommand {
  readonly command: string;
  readonly output: string;
}

const root = join(import.meta.dirname, '../..');
const mark = '--- next command ---';
const documentedOrigin = 'http://127.0.0.1:3000';

/** The lines of a document's code blocks that begin with a prompt, with what follows them. */
export function documentedCommands(markdown: string): DocumentedCommand[] {
  return codeBlocks(markdown).flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command, ...output] = part.trimEnd().split('\n');
        return { command: command!, output: output.join('\n').trimEnd() };
      }),
  );
}

/** The shell functions that a document defines for its commands. */
export function documentedFunctions(markdown: string): string {
  return codeBlocks(markdown).find((block) => /^admin\(\)/m.test(block))!;
}

/**
 * Runs commands one after the other in one shell, against a local service, in an empty directory.
 *
 * @returns what each has printed, without the line that names the stage
 */
export async function runCommands(
  commands: readonly string[],
  functions: string,
  { origin, directory }: { origin: string; directory: string },
): Promise<string[]> {
  const admin = `'${process.execPath}' '${join(root, 'tools/admin/run.ts')}'`;
  const adapted = functions
    .replace('npm run --silent admin --', admin)
    .replace(documentedOrigin, origin);
  const marked = commands.map((command) => `${command}\necho '${mark}'`);
  const shell = spawn('bash', ['-c', ['exec 2>&1', adapted, ...marked].join('\n')], {
    cwd: directory,
    env: { PATH: process.env.PATH, XDG_STATE_HOME: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await text(shell.stdout);
  return printed
    .replaceAll(origin, documentedOrigin)
    .replaceAll(`stage staging at ${documentedOrigin}\n`, '')
    .split(`${mark}\n`)
    .slice(0, -1)
    .map((output) => output.trimEnd());
}

/** Replaces what differs between runs: ids, tokens and their last characters, times, durations. */
export function comparable(output: string): string {
  return output
    .replaceAll(/\b(key|own)_[0-9A-Za-z]{20,32}\b/g, '$1_…')
    .replaceAll(/\bso_(live|test)_(…|[0-9A-Za-z]{46})/g, 'token')
    .replaceAll(/(ends with |…)[0-9A-Za-z]{4}\b/g, '$1last')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'moment')
    .replaceAll(/in \d+\.\d s/g, 'in some seconds');
}

function codeBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^( *)```\w*\n(.*?)^ *```$/gms)].map(([, indent, block]) =>
    block!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
