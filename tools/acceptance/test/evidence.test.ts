import { describe, expect, it, jest } from '@jest/globals';
import { InterruptedError } from '../../shared/errors.ts';
import { Differs, Evidence } from '../evidence.ts';

jest.spyOn(console, 'error').mockImplementation(() => {});

const works = async () => 'works';
const differs = async () => {
  throw new Differs('is other');
};
const fails = async () => {
  throw new Error('AccessDenied: may not look');
};

describe('the page of evidence', () => {
  it('distinguishes what differs from what could not be checked', async () => {
    const evidence = new Evidence([]);

    await evidence.add('one', 'works', works);
    await evidence.add('two', 'works', differs);
    await evidence.add('three', 'works', fails);

    expect(evidence.markdown).toBe(
      [
        '| what | expected | seen |  |',
        '| --- | --- | --- | --- |',
        '| one | works | works | ✓ |',
        '| two | works | is other | ✗ differs |',
        '| three | works | AccessDenied: may not look | – could not be checked |',
      ].join('\n'),
    );
  });

  it.each([
    ['all is as expected', [], works, true],
    ['a row differs', [], differs, false],
    ['a row could not be checked', [], fails, false],
    ['an emulator is known to lack it', ['row'], differs, true],
    ['an emulator has what it is said to lack', ['row'], works, false],
  ])('is good or not if %s', async (_, lacking, check, isGood) => {
    const evidence = new Evidence(lacking);

    await evidence.add('row', 'works', check);

    expect(evidence.isGood).toBe(isGood);
  });

  it('has no row for a check that the user has ended', async () => {
    const evidence = new Evidence([]);
    const interrupted = new InterruptedError('interrupted');

    await expect(evidence.add('row', 'works', () => Promise.reject(interrupted))).rejects.toBe(
      interrupted,
    );

    expect(evidence.markdown).not.toContain('row');
  });

  it('says what an emulator lacks, and never as passed', async () => {
    const evidence = new Evidence(['row']);

    await evidence.add('row', 'works', differs);

    expect(evidence.markdown).toContain('| row | works | is other | – the emulator lacks it |');
  });

  it('shows no key, and keeps its cells whatever a server sends', async () => {
    const evidence = new Evidence([]);

    await evidence.add('row', 'x', async () => `so_tryana_${'0'.repeat(46)} | \u001b[2J`);

    expect(evidence.markdown.split('\n').at(-1)).toBe(
      '| row | x | so_tryana_… \\| \\u001b[2J | ✓ |',
    );
  });
});
