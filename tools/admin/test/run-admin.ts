import { Readable, Writable } from 'node:stream';
import type { CommandIo } from '../console/command-io.ts';
import { runAdmin } from '../program.ts';

interface AdminRun {
  exitCode: number;
  stdout: string;
  stderr: string;
}

class Captured extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

export interface AdminOptions extends Partial<CommandIo> {
  isTerminal?: boolean;
  input?: string;
}

/** Runs the operator's program in this process, as the shell would with these words. */
export async function admin(
  commandLine: string[],
  { isTerminal = false, input = '', ...io }: AdminOptions = {},
): Promise<AdminRun> {
  const stdout = new Captured(isTerminal);
  const stderr = new Captured(isTerminal);
  const stdin = Object.assign(Readable.from([input]), { isTTY: isTerminal });
  const exitCode = await runAdmin(commandLine, {
    stdin,
    stdout,
    stderr,
    environment: {},
    now: Date.now,
    interruption: new AbortController().signal,
    ...io,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** All commands, such as `keys list`, as the groups' own help lists them. */
export async function everyCommand(): Promise<string[]> {
  const groups = ['owners', 'keys', 'orders'];
  const lists = groups.map(async (group) => {
    const { stdout } = await admin([group, '--help']);
    const [, commands = ''] = /\nCommands:\n((?: {2}.*\n?)+)/.exec(stdout) ?? [];
    return [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => `${group} ${name}`);
  });
  const all = (await Promise.all(lists)).flat();
  return all.filter((command) => !command.endsWith(' help'));
}
