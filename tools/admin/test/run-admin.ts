import { PassThrough, Readable } from 'node:stream';
import type { CommandIo } from '../console/command-io.ts';
import { groups, runAdmin } from '../program.ts';

export interface AdminOptions extends Partial<CommandIo> {
  isTerminal?: boolean;
  input?: string;
}

/** Runs the operator's program in this process, as the shell would with these words. */
export async function admin(
  commandLine: string[],
  { isTerminal: isTTY = false, input = '', ...io }: AdminOptions = {},
) {
  const screen = () => Object.assign(new PassThrough({ highWaterMark: 2 ** 30 }), { isTTY });
  const [stdout, stderr] = [screen(), screen()];
  const exitCode = await runAdmin(commandLine, {
    stdin: Object.assign(Readable.from([input]), { isTTY }),
    stdout,
    stderr,
    environment: {},
    now: Date.now,
    interruption: new AbortController().signal,
    ...io,
  });
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

/** All commands, such as `keys list`. */
export const everyCommand = groups.flatMap(({ name, verbs }) =>
  verbs.map(({ usage }) => `${name} ${usage.split(' ')[0]}`),
);
