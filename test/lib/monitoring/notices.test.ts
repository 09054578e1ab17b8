import { describe, expect, it } from '@jest/globals';
import type { StageConfiguration, StageName } from '../../../lib/settings/stages.ts';
import { createStack, synthesize, warningsOf } from '../stack-factory.ts';

const runbookUrl = 'https://example.com/store-orders/blob/main/docs/runbook.md';
const alarmEmail = 'alarms@example.com';
const noRunbook = expect.stringContaining('set PROD_RUNBOOK_URL to its https URL');
const nobodyIsTold = expect.stringContaining('set PROD_ALARM_EMAIL to an e-mail address');

describe('synthesis', () => {
  it.each<[string, StageName, Partial<StageConfiguration>, unknown[]]>([
    ['of prod as the repository has it', 'prod', {}, [noRunbook, nobodyIsTold]],
    ['of prod with an address of the runbook', 'prod', { runbookUrl }, [nobodyIsTold]],
    ['of prod with somebody to tell', 'prod', { alarmEmail }, [noRunbook]],
    ['of prod with both', 'prod', { runbookUrl, alarmEmail }, []],
    ['of staging, where nobody has to be told', 'staging', { runbookUrl }, []],
    [
      'of another stage whose data is protected',
      'staging',
      { runbookUrl, deletionProtection: true, removalPolicy: 'retain' },
      [expect.stringContaining('set STAGING_ALARM_EMAIL to an e-mail address')],
    ],
  ])(
    'warns where an alarm would be missed, or its runbook not be found: %s',
    (_, stage, overrides, expected) => {
      const warnings = warningsOf(createStack(stage, { lambdaConcurrency: 1_000, ...overrides }));

      expect(warnings).toEqual(expected);
    },
  );

  it('gives every alarm the full address of its section', () => {
    const { Resources } = synthesize('prod', { runbookUrl });

    const descriptions = Object.values(Resources)
      .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
      .map(({ Properties }) => Properties.AlarmDescription);

    expect(descriptions).not.toEqual([]);
    for (const description of descriptions) {
      expect(description).toMatch(
        / Runbook: https:\/\/example\.com\/store-orders\/blob\/main\/docs\/runbook\.md#[a-z-]+$/,
      );
    }
  });
});
