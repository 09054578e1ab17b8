import { describe, expect, it } from '@jest/globals';
import { Stack } from 'aws-cdk-lib/core';
import { warnOfMissingSettings } from '../../../lib/monitoring/notices.ts';
import {
  type StageConfiguration,
  type StageName,
  stageConfiguration,
} from '../../../lib/settings/stages.ts';
import { warningsOf } from '../warnings.ts';

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
    (_, stage, settings, expected) => {
      const scope = new Stack();

      warnOfMissingSettings(scope, { ...stageConfiguration(stage, {}), ...settings });

      expect(warningsOf(scope)).toEqual(expected);
    },
  );
});
