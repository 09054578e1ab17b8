import { describe, expect, it } from '@jest/globals';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import { InterruptedError } from '../../../shared/errors.ts';
import { accept } from '../../acceptance/accept.ts';
import { type Check, row } from '../../runner.ts';

/** A run whose trial has these checks. The arrays contain what it prints, and what is deployed and removed. */
function trial(...checks: Check<string>[]) {
  const lines: string[] = [];
  const calls: string[] = [];
  const interruption = new AbortController();
  const steps: Parameters<typeof accept<string>>[0] = {
    deploy: async () => {
      calls.push('deploy');
      return 'trial';
    },
    check: (deployed, runner) => runner.run(checks, deployed, interruption.signal),
    remove: async () => {
      calls.push('remove');
    },
    print: (line) => lines.push(line),
  };
  return { lines, calls, interruption, steps };
}

const fails = async () => {
  throw new TypeError('AccessDenied: may not look');
};

describe('the acceptance run', () => {
  it('is good if the trial is deployed, as expected, and removed', async () => {
    const { calls, steps } = trial(row('page', 'name', 'trial', async (name) => name));

    expect(await accept(steps)).toBe(true);
    expect(calls).toEqual(['deploy', 'remove']);
  });

  it('removes the trial after checks that throw, and is not good', async () => {
    const { calls, steps } = trial(row('page', 'check', 'x', fails));

    expect(await accept(steps)).toBe(false);
    expect(calls).toEqual(['deploy', 'remove']);
  });

  it('removes a trial whose deployment has failed, and checks nothing else', async () => {
    const { lines, calls, steps } = trial(row('page', 'never', 'x', fails));

    expect(await accept({ ...steps, deploy: fails })).toBe(false);
    expect(calls).toEqual(['remove']);
    expect(lines.join()).toMatch(/\? cdk deploy.*AccessDenied.*1 passed, 0 failed, 1 unchecked/s);
    expect(lines.join()).not.toContain('never');
  });

  it('removes the trial when the user ends the run, and makes no further check', async () => {
    const interrupt = async () => interruption.abort(new InterruptedError('interrupted'));
    const { lines, calls, steps, interruption } = trial(
      { group: 'page', title: 'last', run: interrupt },
      row('page', 'never', 'x', fails),
    );

    await expect(accept(steps)).rejects.toThrow('interrupted');

    expect(calls).toEqual(['deploy', 'remove']);
    expect(lines.join()).toMatch(/last.*the removal of the trial/s);
    expect(lines.join()).not.toContain('never');
  });

  it('is not good if the trial could not be removed', async () => {
    expect(await accept({ ...trial().steps, remove: fails })).toBe(false);
  });

  it('prints no key and no control character, whatever a server sends', async () => {
    const sent = async () => `x ${keyPrefix}${'0'.repeat(46)} \u001b[2J`;
    const { lines, steps } = trial(row('page', 'check', 'x', sent));

    await accept(steps);

    expect(lines).toContain(`      seen: x ${keyPrefix}… \\u001b[2J`);
  });
});
