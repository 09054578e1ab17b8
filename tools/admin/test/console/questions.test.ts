import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { InterruptedError } from '../../../shared/errors.ts';
import type { CommandIo } from '../../console/command-io.ts';
import { confirm, readSecret } from '../../console/questions.ts';

/** Standard input that already contains a text. */
function input(typed: string, { isTTY = true } = {}) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const modes: boolean[] = [];
  stdin.end(typed);
  const setRawMode = (isRaw: boolean) => modes.push(isRaw);
  const io = {
    stdin: Object.assign(stdin, { isTTY, setRawMode }),
    stderr: Object.assign(stderr, { isTTY }),
    interruption: new AbortController().signal,
  };
  return { io: io as unknown as CommandIo, shown: () => String(stderr.read() ?? ''), modes };
}

const question = 'Really?';

describe('confirm', () => {
  it.each(['y\n', ' YES \n'])('asks, and accepts %j', async (typed) => {
    const { io, shown } = input(typed);

    // A name in the question could change the terminal.
    await confirm(io, {}, 'Suspend \u001b[2J?');

    expect(shown()).toBe('Suspend \\u001b[2J? [y/N] ');
  });

  it.each(['\n', 'yeah\n', ''])('refuses %j', async (typed) => {
    await expect(confirm(input(typed).io, {}, question)).rejects.toThrow(
      'not confirmed: nothing was changed',
    );
  });

  it('ends at Ctrl+C with the exit code 5, and with the line of the question, if the command handles it', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const { io: others, shown } = input('');
    const io = { ...others, stdin, interruption: AbortSignal.abort() };

    const confirmed = confirm(io, {}, question);

    await expect(confirmed).rejects.toThrow(InterruptedError);
    expect(shown()).toBe('Really? [y/N] \n');
  });
});

describe('readSecret', () => {
  it('reads all of a pipe', async () => {
    const { io, shown, modes } = input('one\ntwo', { isTTY: false });

    expect(await readSecret(io, 'Token:')).toBe('one\ntwo');
    expect([shown(), modes]).toEqual(['', []]);
  });

  it.each(['secret\r', 'secret\u0004'])(
    'reads a line from a terminal without showing it: %j',
    async (typed) => {
      const { io, shown, modes } = input(typed);

      expect(await readSecret(io, 'Token:')).toBe('secret');
      expect(shown()).toBe('Token: \n');
      expect(modes).toEqual([true, false]);
    },
  );

  it('ends at Ctrl+C with the exit code 5, and resets the terminal', async () => {
    const { io, modes } = input('sec\u0003');

    await expect(readSecret(io, 'Token:')).rejects.toThrow(InterruptedError);
    expect(modes).toEqual([true, false]);
  });
});
