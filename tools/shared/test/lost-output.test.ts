import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { outliveLostOutput } from '../lost-output.ts';

function createProcess() {
  const reported: string[] = [];
  const stderr = Object.assign(new EventEmitter(), {
    write: (text: string) => reported.push(text),
  });
  const process = Object.assign(new EventEmitter(), { stdout: new EventEmitter(), stderr });
  outliveLostOutput(process as unknown as NodeJS.Process);
  /** Ends the process with the exit code of its command. */
  const end = (exitCode: number) => {
    const ended = Object.assign(process, { exitCode });
    ended.emit('exit');
    return ended.exitCode;
  };
  return { ...process, reported, end };
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

it('does not treat a closed pipe as a failure', () => {
  const { stdout, stderr, reported, end } = createProcess();

  stdout.emit('error', failure('EPIPE', 'write EPIPE'));
  stderr.emit('error', failure('EPIPE', 'write EPIPE'));

  expect([reported, end(0)]).toEqual([[], 0]);
});

it.each([
  [0, 1],
  [3, 3],
])(
  'reports once that output could not be written, and turns exit code %i into %i',
  (exitCode, ended) => {
    const { stdout, reported, end } = createProcess();

    for (let writes = 0; writes < 3; writes++)
      stdout.emit('error', failure('ENOSPC', 'no space left on device'));

    expect(reported).toEqual(['error: standard output: no space left on device\n']);
    expect(end(exitCode)).toBe(ended);
  },
);
