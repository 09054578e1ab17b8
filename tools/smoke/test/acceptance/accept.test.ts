import { describe, expect, it } from '@jest/globals';
import { InterruptedError } from '../../../shared/errors.ts';
import { accept } from '../../acceptance/accept.ts';
import type { Check } from '../../runner.ts';

/** A trial whose rows return what they are given. */
function trial(rows: readonly Partial<Check<string>>[], deploy = async () => 'trial') {
  const lines: string[] = [];
  const calls: string[] = [];
  const interruption = new AbortController();
  const steps = {
    deploy: async () => {
      calls.push('deploy');
      return deploy();
    },
    rowsFor: (deployed: string) =>
      rows.map((row) => ({ group: 'page', title: deployed, run: async () => 'x', ...row })),
    remove: async () => {
      calls.push('remove');
    },
    print: (line: string) => lines.push(line),
    signal: interruption.signal,
  };
  return { lines, calls, interruption, steps };
}

const fails = async () => {
  throw new TypeError('AccessDenied: may not look');
};

describe('the acceptance run', () => {
  it('prints a table that distinguishes what differs from what could not be checked', async () => {
    const { lines, calls, steps } = trial([
      { expected: 'x', run: async () => `x so_tryana_${'0'.repeat(46)} | \u001b[2J` },
      { expected: 'other' },
      { expected: 'x', run: fails },
      {},
    ]);

    expect(await accept(steps)).toBe(false);

    expect(lines).toEqual([
      '| verdict | what | expected | seen | who depends on it |',
      '| --- | --- | --- | --- | --- |',
      expect.stringMatching(/^\| as expected \| cdk deploy \| succeeded \| succeeded \| docs/),
      '| as expected | trial | x | x so_tryana_… \\| \\u001b[2J | page |',
      '| differs | trial | other | x | page |',
      '| unchecked | trial | x | AccessDenied: may not look | page |',
      '| as expected | trial | as documented | as documented | page |',
      expect.stringMatching(/^\| as expected \| the removal of the trial \| removed \| removed \|/),
    ]);
    expect(calls).toEqual(['deploy', 'remove']);
  });

  it('is good if all rows are as expected', async () => {
    expect(await accept(trial([{ expected: 'x' }]).steps)).toBe(true);
  });

  it('removes a trial whose deployment has failed, and checks nothing else', async () => {
    const { lines, calls, steps } = trial([{}], fails);

    expect(await accept(steps)).toBe(false);

    expect(calls).toEqual(['deploy', 'remove']);
    expect(lines).toHaveLength(4);
    expect(lines[2]).toContain('| unchecked | cdk deploy | succeeded | AccessDenied');
  });

  it('removes the trial when the user ends the run, and makes no further check', async () => {
    const { lines, calls, steps, interruption } = trial([
      {
        run: async () => {
          interruption.abort(new InterruptedError('interrupted'));
        },
      },
      { title: 'never' },
    ]);

    await expect(accept(steps)).rejects.toThrow('interrupted');

    expect(calls).toEqual(['deploy', 'remove']);
    expect(lines.join()).not.toContain('never');
    expect(lines.at(-1)).toContain('the removal of the trial');
  });
});
