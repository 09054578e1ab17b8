import { describe, expect, it } from '@jest/globals';
import { type Plan, type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import {
  ConfigurationError,
  listConcurrency,
  stageConfiguration,
  variableName,
  warningsOf,
} from '../../lib/settings/stage-variables.ts';
import {
  apiKeyPrefixes,
  type StageName,
  stageNames,
  stageOfKey,
  stageSettings,
} from '../../lib/settings/stages.ts';
import { differences } from '../helpers/differences.ts';
import { variablesReadFor } from '../helpers/functions/read-variables.ts';

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d';

/** A valid value of every variable, by its name without the stage. */
const everything: Readonly<Record<string, string>> = {
  ACCOUNT: '123456789012',
  REGION: 'eu-central-1',
  DOMAIN: 'orders.api.example.com',
  CERTIFICATE_ARN: certificateArn,
  CORS_ORIGIN: 'https://shop.example.com:8443',
  ALARM_EMAIL: 'alarms@example.com',
  RUNBOOK_URL: 'https://example.com/store-orders/blob/main/docs/runbook.md',
  EMERGENCY_DEPLOYMENT: 'true',
  LAMBDA_CONCURRENCY: '1000',
};

function configure(variables: Readonly<Record<string, string>>, stage: StageName = 'prod') {
  const named = Object.entries(variables).map(([name, value]) => [
    `${stage.toUpperCase()}_${name}`,
    value,
  ]);
  return stageConfiguration(stage, Object.fromEntries(named));
}

describe('the key prefix', () => {
  it.each(stageNames)('of %s tells its keys from those of every other stage', (stage) => {
    const { apiKeyPrefix } = stageSettings(stage);

    expect(stageOfKey(`${apiKeyPrefix}0123`)).toBe(stage);
    expect(apiKeyPrefixes.filter((prefix) => prefix.startsWith(apiKeyPrefix))).toHaveLength(1);
    // The code that removes keys from printed texts searches for this form.
    expect(apiKeyPrefix).toMatch(/^so_[a-z]+_$/);
  });

  it('of no stage is no stage', () => {
    expect(stageOfKey('so_nowhere_0123')).toBeUndefined();
  });
});

describe('the configuration of a stage', () => {
  it('has a valid value here for every variable that it reads', () => {
    const known = Object.keys(everything).map((name) => `PROD_${name}`);

    expect(variablesReadFor('prod').sort()).toEqual(known.sort());
  });

  it('takes from its own variables what must not stand in the code', () => {
    expect(configure(everything)).toMatchObject({
      stage: 'prod',
      account: '123456789012',
      region: 'eu-central-1',
      domainName: 'orders.api.example.com',
      certificateArn,
      corsOrigin: 'https://shop.example.com:8443',
      alarmEmail: 'alarms@example.com',
      runbookUrl: 'https://example.com/store-orders/blob/main/docs/runbook.md',
      emergencyDeployment: 'true',
      lambdaConcurrency: '1000',
    });
  });

  it("does not look at another stage's variables, nor at empty ones", () => {
    const environment = { PROD_ACCOUNT: '123456789012', STAGING_REGION: '' };

    const { account, region } = stageConfiguration('staging', environment);

    expect([account, region]).toEqual([undefined, undefined]);
  });

  it.each([
    ['prod', true, 35, 'retain', true, 90],
    ['staging', false, 0, 'destroy', false, 14],
  ] as const)(
    'of %s protects its data (%s, %i days, %s), deploys gradually: %s, and keeps logs for %i days',
    (stage, deletionProtection, pointInTimeRecoveryDays, removalPolicy, gradualDeployment, logRetentionDays) => {
      expect(stageSettings(stage)).toMatchObject({
        deletionProtection,
        pointInTimeRecoveryDays,
        removalPolicy,
        gradualDeployment,
        logRetentionDays,
      });
    },
  );

  it.each(Object.keys(everything))('refuses a value of %s that has no sense', (name) => {
    const values = { ...everything, [name]: 'no value!' };

    expect(() => configure(values)).toThrow(ConfigurationError);
    expect(() => configure(values)).toThrow(`PROD_${name} is "no value!": `);
  });

  it.each([
    ['ACCOUNT', '12345', "give the account's 12 digits"],
    ['REGION', 'Frankfurt', "give a Region's code"],
    ['DOMAIN', 'https://api.example.com', 'give a host name'],
    ['CERTIFICATE_ARN', 'arn:aws:iam::123456789012:role/x', 'give an ACM certificate ARN'],
    ['CORS_ORIGIN', 'https://a.example, https://b.example', 'give one origin'],
    ['CORS_ORIGIN', 'https://shop.example.com/', 'give one origin'],
    ['CORS_ORIGIN', 'https://Shop.example.com', 'give one origin'],
    ['CORS_ORIGIN', 'https://shop.example.com:443', 'give one origin'],
    ['CORS_ORIGIN', 'https://*.example.com', 'give one origin'],
    ['CORS_ORIGIN', 'shop.example.com', 'give one origin'],
    ['CORS_ORIGIN', "https://shop'.example.com", 'give one origin'],
    ['ALARM_EMAIL', 'nobody', 'give one e-mail address'],
    ['ALARM_EMAIL', 'a@example.com, b@example.com', 'give one e-mail address'],
    ['RUNBOOK_URL', 'http://example.com/runbook.md', "give the runbook's https URL"],
    ['RUNBOOK_URL', 'https://example.com/runbook.md#top', "give the runbook's https URL"],
    ['RUNBOOK_URL', 'https://example.com/run book.md', "give the runbook's https URL"],
    ['RUNBOOK_URL', `https://example.com/${'a'.repeat(500)}`, "give the runbook's https URL"],
    ['EMERGENCY_DEPLOYMENT', 'yes', 'use true'],
    ['LAMBDA_CONCURRENCY', '0', 'use a whole number'],
    ['LAMBDA_CONCURRENCY', '1.5', 'use a whole number'],
  ])('refuses %s = %s and says what to write', (name, value, remedy) => {
    const values = { ...everything, [name]: value };

    expect(() => configure(values)).toThrow(`PROD_${name} is ${JSON.stringify(value)}: ${remedy}`);
  });

  it.each(['*', 'http://localhost:5173', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'accepts the origin %s',
    (origin) => {
      expect(configure({ CORS_ORIGIN: origin }).corsOrigin).toBe(origin);
    },
  );

  it.each([
    [{ DOMAIN: 'api.example.com' }, 'belong together'],
    [{ CERTIFICATE_ARN: certificateArn }, 'belong together'],
    [{ ...everything, REGION: 'us-east-1' }, "in the API's own Region, us-east-1"],
  ])('refuses a domain and a certificate that do not fit: %j', (values, message) => {
    expect(() => configure(values)).toThrow(message);
  });

  it('names all that is wrong, a line each', () => {
    expect(() => configure({ ACCOUNT: '1', ALARM_EMAIL: 'x' })).toThrow(
      /^PROD_ACCOUNT .*\nPROD_ALARM_EMAIL .*$/,
    );
  });
});

describe("the account's Lambda concurrency", () => {
  it.each([
    ['1001', 500],
    ['199', 99],
    ['198', undefined],
    ['10', undefined],
    ['', undefined],
  ])(
    'of %s leaves lists %s: half, where 100 stay free for functions without any',
    (quota, half) => {
      expect(listConcurrency(configure({ LAMBDA_CONCURRENCY: quota }))).toBe(half);
    },
  );
});

describe('the synthesis', () => {
  const { EMERGENCY_DEPLOYMENT: _, ...complete } = everything;

  it.each<[StageName, Record<string, string>, string[]]>([
    ['prod', complete, []],
    ['prod', {}, ['runbookUrl', 'alarmEmail', 'lambdaConcurrency']],
    ['staging', {}, ['runbookUrl']],
    ['prod', { ...complete, LAMBDA_CONCURRENCY: '10' }, ['smallLambdaConcurrency']],
    ['staging', { ...complete, LAMBDA_CONCURRENCY: '10' }, ['smallLambdaConcurrency']],
  ])('warns of %s with %j: %j', (stage, values, expected) => {
    const warnings = warningsOf(configure(values, stage));

    expect(Object.keys(warnings)).toEqual(expected);
    for (const field of ['runbookUrl', 'alarmEmail', 'lambdaConcurrency'] as const) {
      if (warnings[field]) expect(warnings[field]).toContain(variableName(stage, field));
    }
  });
});

describe('plans', () => {
  it.each<[PlanName, number, number]>([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ])('R20: give the plan %s %i requests a minute and %i a day', (name, perMinute, perDay) => {
    const requirements = 'docs/requirements.md, R20, and owners that exist (owners apply-plans)';
    const limits = (plan: Pick<Plan, 'perMinute' | 'perDay'>) => [
      `${plan.perMinute} a minute, ${plan.perDay} a day`,
    ];

    expect(
      differences(
        ['lib/settings/plans.ts', limits(plans[name])],
        [requirements, limits({ perMinute, perDay })],
      ),
    ).toEqual([]);
    expect(plans[name].limitsPerOwner).toBe(false);
  });

  it('R21, I26: leave the limits of enterprise open, up to what one item can count', () => {
    const dynamoDbWritesPerSecondAndPartition = 1_000;

    expect(plans.enterprise.limitsPerOwner).toBe(true);
    expect(plans.enterprise.perMinute).toBeLessThanOrEqual(
      dynamoDbWritesPerSecondAndPartition * 60,
    );
  });

  it.each(planNames)('I25: tolerates more rejections than requests before it bans: %s', (name) => {
    const { perMinute, toleratedRejectionsPerMinute, limitsPerOwner, banSeconds } = plans[name];

    expect(banSeconds).toBe(300);
    if (!limitsPerOwner) expect(toleratedRejectionsPerMinute).toBe(3 * perMinute);
  });
});
