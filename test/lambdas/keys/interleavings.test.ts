import { describe, expect, it } from '@jest/globals';
import { captureLinesOfTests } from '../../helpers/captured-lines.ts';
import { Exploration } from './exploration.ts';
import { brokenRule } from './rules.ts';
import { scenarios } from './scenarios.ts';

/*
 * Only these tests notice if a write lacks one of these conditions: the owner's status, plan and own limits, the limit
 * of the day, the key's expiry and ban, and the count of its rejections.
 */

describe('the limiter, in every order of requests, changes, lost responses and clock ticks,', () => {
  // Captured, because the limiter logs a plan that it does not know.
  captureLinesOfTests();

  it.each(Object.keys(scenarios))('R24, R26, I31: keeps every rule: %s', async (name) => {
    const exploration = new Exploration(scenarios[name]!);

    const { states, broken } = await exploration.run(brokenRule);

    expect(broken).toEqual([]);
    expect(states).toBeGreaterThan(100);
  });
});
