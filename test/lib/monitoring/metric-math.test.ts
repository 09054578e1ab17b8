import { describe, expect, it } from '@jest/globals';
import { evaluateMetricMath, type Value } from './metric-math.ts';

describe('evaluateMetricMath', () => {
  it.each<[string, Value]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['six / 2 / 0.5', 6],
    ['IF(six >= 6, six, 0)', 6],
    ['IF(six > 6, 1, 2 + 3)', 5],
    ['2 + 3 == 5', 1],
    ['missing + 1', undefined],
    ['IF(missing >= 1, 1, 2)', undefined],
    ['IF(six >= 1, 100 * missing, 0)', undefined],
    ['IF(six < 1, missing, 0)', 0],
    ['six / 0', undefined],
  ])('gives for %s %p', (expression, expected) => {
    const value = evaluateMetricMath(expression, { six: 6, missing: undefined });

    expect(value).toBe(expected);
  });

  it.each(['FILL(six, 0)', 'six six', 'IF(six, 1)', '(six', '6 & 1', ''])(
    'does not guess at %p',
    (expression) => {
      expect(() => evaluateMetricMath(expression, { six: 6 })).toThrow();
    },
  );
});
