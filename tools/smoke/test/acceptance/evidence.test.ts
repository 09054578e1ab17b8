import { describe, expect, it, jest } from '@jest/globals';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import { InterruptedError } from '../../../shared/errors.ts';
import { Evidence } from '../../acceptance/evidence.ts';

jest.spyOn(console, 'error').mockImplementation(() => {});

const fails = async () => {
  throw new Error('AccessDenied: may not look');
};

describe('the page of evidence', () => {
  it('distinguishes what differs from what could not be checked', async () => {
    const evidence = new Evidence();

    await evidence.add('a text', 'works', async () => 'it works');
    await evidence.add('a number', 9, async () => '10');
    expect(evidence.isGood).toBe(true);
    await evidence.add('another text', 'works', async () => 'is other');
    await evidence.add('a small number', 9, async () => '8');
    await evidence.add('a refused look', 'works', fails);

    expect(evidence.isGood).toBe(false);
    expect(evidence.markdown).toBe(
      [
        '| verdict | what | expected | seen |',
        '| --- | --- | --- | --- |',
        '| as expected | a text | works | it works |',
        '| as expected | a number | at least 9 | 10 |',
        '| differs | another text | works | is other |',
        '| differs | a small number | at least 9 | 8 |',
        '| unchecked | a refused look | works | AccessDenied: may not look |',
      ].join('\n'),
    );
  });

  it('is not good if a row could not be checked', async () => {
    const evidence = new Evidence();

    await evidence.add('row', 'works', fails);

    expect(evidence.isGood).toBe(false);
  });

  it('has no row for a check that the user has ended', async () => {
    const evidence = new Evidence();
    const interrupted = new InterruptedError('interrupted');

    await expect(evidence.add('row', 'works', () => Promise.reject(interrupted))).rejects.toBe(
      interrupted,
    );

    expect(evidence.markdown).not.toContain('row');
  });

  it('shows no key, and keeps its cells whatever a server sends', async () => {
    const evidence = new Evidence();

    await evidence.add('row', 'x', async () => `x ${keyPrefix}${'0'.repeat(46)} | \u001b[2J`);

    expect(evidence.markdown.split('\n').at(-1)).toBe(
      `| as expected | row | x | x ${keyPrefix}… \\| \\u001b[2J |`,
    );
  });
});
