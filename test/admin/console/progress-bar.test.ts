import { describe, expect, it } from '@jest/globals';
import { progressLine, timeLeft } from '../../../admin/console/progress-bar.ts';

const measured = { phase: 'loading', orders: '1,234,567', rate: '11,000', left: '1h 02m' };

describe('progressLine', () => {
  it('shows all on a wide terminal', () => {
    expect(progressLine(0.5, measured, 120)).toBe(
      'loading [===============               ] 50% | 1,234,567 orders | 11,000/s | 1h 02m left',
    );
  });

  it.each([120, 80, 70, 60, 50, 40, 30, 26])(
    'keeps its end and its line in %i columns',
    (columns) => {
      const line = progressLine(0.5, measured, columns);

      expect(line.length).toBeLessThan(columns);
      expect(line).toMatch(/50%.*1h 02m left$/);
    },
  );

  it('fits a terminal that is narrower than any of it', () => {
    expect(progressLine(1, measured, 10)).toBe('loading 1');
  });
});

describe('timeLeft', () => {
  it.each([
    [4.2, '5s'],
    [125, '2m 05s'],
    [3_725, '1h 02m'],
    [Number.POSITIVE_INFINITY, '-'],
    [Number.NaN, '-'],
  ])('is %d seconds as %s', (seconds, text) => {
    expect(timeLeft(seconds)).toBe(text);
  });
});
