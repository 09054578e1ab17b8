import { describe, expect, it } from '@jest/globals';
import { AwsSolutionsChecks } from 'cdk-nag';
import { stageNames } from '../helpers/synthesized.ts';
import { createStack } from './stack-factory.ts';

/** Everything optional is on, so that nothing escapes the checks. */
const everything = {
  region: 'eu-central-1',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/example',
  alarmEmail: 'alarms@example.com',
  runbookUrl: 'https://example.com/store-orders/blob/main/docs/runbook.md',
  corsOrigin: 'https://shop.example.com',
  firewall: { requestsPerIpPer5Minutes: 400_000 },
  lambdaConcurrency: '1000',
};

describe.each(stageNames)('cdk-nag, AwsSolutions, %s', (stage) => {
  it.each([
    ['as configured', {}],
    ['with everything optional', everything],
  ])('leaves no finding without a written reason: %s', (_, settings) => {
    const stack = createStack(stage, settings);

    const { violations } = new AwsSolutionsChecks(stack).validateScope(stack);

    expect(violations).toEqual([]);
  });
});
