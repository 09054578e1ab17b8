import { describe, expect, it } from '@jest/globals';
import { Stack } from 'aws-cdk-lib/core';
import { listConcurrency, warnOfConcurrency } from '../../../lib/functions/list-concurrency.ts';
import { type StageName, stageConfiguration } from '../../../lib/settings/stages.ts';
import { warningsOf } from '../warnings.ts';

const configured = (stage: StageName, lambdaConcurrency: number | undefined) => ({
  ...stageConfiguration(stage, {}),
  lambdaConcurrency,
});

describe("the account's Lambda concurrency", () => {
  it.each([
    [1_001, 500],
    [199, 99],
  ])('is left by lists to the rest, one half of it: of %i they get %i', (quota, expected) => {
    expect(listConcurrency(configured('staging', quota))).toBe(expected);
  });

  it.each([undefined, 10, 198])('is not divided where it is %s: Lambda keeps 100 free', (quota) => {
    expect(listConcurrency(configured('staging', quota))).toBeUndefined();
  });

  it.each<[StageName, number | undefined, string[]]>([
    ['prod', undefined, ['set PROD_LAMBDA_CONCURRENCY to what']],
    ['prod', 10, ['10 concurrent executions are few: each request takes two']],
    ['staging', 10, ['10 concurrent executions are few']],
    ['prod', 1_000, []],
    ['staging', undefined, []],
  ])('is spoken of at synthesis: %s with %s', (stage, quota, expected) => {
    const scope = new Stack();

    warnOfConcurrency(scope, configured(stage, quota));

    expect(warningsOf(scope)).toEqual(expected.map((text) => expect.stringContaining(text)));
  });
});
