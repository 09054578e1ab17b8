import { describe, expect, it } from '@jest/globals';
import {
  apiKeyPrefixes,
  stageConfiguration,
  stageNames,
  stageOfKey,
} from '../../../lib/settings/stages.ts';

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d';

describe('stageOfKey', () => {
  it.each(stageNames)('knows a key of %s by its prefix, which no other stage has', (stage) => {
    const { apiKeyPrefix } = stageConfiguration(stage, {});

    expect(stageOfKey(`${apiKeyPrefix}0123`)).toBe(stage);
    expect(apiKeyPrefixes.filter((prefix) => prefix.startsWith(apiKeyPrefix))).toHaveLength(1);
    // The code that removes keys from printed texts searches for this form.
    expect(apiKeyPrefix).toMatch(/^so_[a-z]+_$/);
  });

  it('knows no stage of a key with another prefix', () => {
    expect(stageOfKey('so_nowhere_0123')).toBeUndefined();
  });
});

describe('stageConfiguration', () => {
  it('takes from the environment what must not stand in the code', () => {
    const environment = {
      PROD_ACCOUNT: '123456789012',
      PROD_REGION: 'eu-central-1',
      PROD_DOMAIN: 'api.example.com',
      PROD_CERTIFICATE_ARN: certificateArn,
      PROD_ALARM_EMAIL: 'alarms@example.com',
      PROD_RUNBOOK_URL: 'https://example.com/docs/runbook.md',
      PROD_LAMBDA_CONCURRENCY: '1000',
    };

    const configuration = stageConfiguration('prod', environment);

    expect(configuration).toMatchObject({
      account: '123456789012',
      region: 'eu-central-1',
      domainName: 'api.example.com',
      certificateArn,
      alarmEmail: 'alarms@example.com',
      runbookUrl: 'https://example.com/docs/runbook.md',
      lambdaConcurrency: 1_000,
    });
  });

  it.each([
    ['https://shop.example.com', ['https://shop.example.com']],
    ['*', ['*']],
    ['https://a.example, https://b.example', ['https://a.example', 'https://b.example']],
    ['', undefined],
  ])('takes the origins that %j lists', (value, expected) => {
    const { corsOrigins } = stageConfiguration('staging', { STAGING_CORS_ORIGIN: value });

    expect(corsOrigins).toEqual(expected);
  });

  it("leaves one stage's variables to that stage, and empty ones out", () => {
    const environment = { PROD_ACCOUNT: '123456789012', STAGING_REGION: '' };

    const { account, region } = stageConfiguration('staging', environment);

    expect([account, region]).toEqual([undefined, undefined]);
  });

  it('keeps the data of prod, and lets that of staging go', () => {
    expect(stageConfiguration('prod', {})).toMatchObject({
      deletionProtection: true,
      pointInTimeRecoveryDays: 35,
      removalPolicy: 'retain',
      gradualDeployment: true,
    });
    expect(stageConfiguration('staging', {})).toMatchObject({
      deletionProtection: false,
      pointInTimeRecoveryDays: 0,
      removalPolicy: 'destroy',
      gradualDeployment: false,
    });
  });
});
