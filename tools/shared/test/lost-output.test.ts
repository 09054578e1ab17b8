import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { outliveLostOutput } from '../lost-output.ts';

function createOutput() {
  const reported: string[] = [];
  const stderr = Object.assign(new EventEmitter(), {
    write: (text: string) => reported.push(text),
  });
  return { stdout: new EventEmitter(), stderr, reported };
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

it('takes a closed pipe for a reader that has read enough', () => {
  const { reported, ...output } = createOutput();
  const isOutputLost = outliveLostOutput(output);

  output.stdout.emit('error', failure('EPIPE', 'write EPIPE'));
  output.stderr.emit('error', failure('EPIPE', 'write EPIPE'));

  expect([reported, isOutputLost()]).toEqual([[], false]);
});

it('reports once that output could not be written', () => {
  const { reported, ...output } = createOutput();
  const isOutputLost = outliveLostOutput(output);
  const before = isOutputLost();

  for (let writes = 0; writes < 3; writes++)
    output.stdout.emit('error', failure('ENOSPC', 'no space left on device'));

  expect(reported).toEqual(['error: standard output: no space left on device\n']);
  expect([before, isOutputLost()]).toEqual([false, true]);
});
