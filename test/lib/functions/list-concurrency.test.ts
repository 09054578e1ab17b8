import { describe, expect, it } from '@jest/globals';
import type { StageConfiguration, StageName } from '../../../lib/settings/stages.ts';
import { createStack, synthesize, warningsOf } from '../stack-factory.ts';

const quiet = { runbookUrl: 'https://example.com/runbook.md', alarmEmail: 'alarms@example.com' };

/** The reserved concurrency of each function, by its name in the template. */
function reservations(overrides: Partial<StageConfiguration>): Record<string, unknown> {
  const { Resources } = synthesize('staging', overrides);
  const functions = Object.entries(Resources).filter(
    ([, { Type }]) => Type === 'AWS::Lambda::Function',
  );
  return Object.fromEntries(
    functions.map(([id, { Properties }]) => [
      id.replace(/Function\w*$/, ''),
      Properties.ReservedConcurrentExecutions,
    ]),
  );
}

describe("the account's Lambda concurrency", () => {
  it('is left by lists to the authorizer and to cancellations, one half of it', () => {
    expect(reservations({ lambdaConcurrency: 1_001 })).toEqual({
      Authorizer: undefined,
      CancelOrder: undefined,
      ListOrders: 500,
    });
  });

  it.each([undefined, 10, 198])('is not divided where it is %s: Lambda keeps 100 free', (quota) => {
    const { ListOrders } = reservations({ lambdaConcurrency: quota });

    expect(ListOrders).toBeUndefined();
  });

  it.each<[StageName, number | undefined, string[]]>([
    ['prod', undefined, ['set PROD_LAMBDA_CONCURRENCY to what']],
    ['prod', 10, ['10 concurrent executions are few: each request takes two']],
    ['staging', 10, ['10 concurrent executions are few']],
    ['prod', 1_000, []],
    ['staging', undefined, []],
  ])('is spoken of at synthesis: %s with %s', (stage, lambdaConcurrency, expected) => {
    const warnings = warningsOf(createStack(stage, { ...quiet, lambdaConcurrency }));

    expect(warnings).toEqual(expected.map((text) => expect.stringContaining(text)));
  });
});
