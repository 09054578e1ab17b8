import { describe, expect, it } from '@jest/globals';
import { planNames, plans } from '../../lib/settings/plans.ts';
import {
  ConfigurationError,
  listConcurrency,
  stageConfiguration,
  warningsOf,
} from '../../lib/settings/stage-configuration.ts';
import {
  apiKeyPrefixes,
  type StageName,
  type StageSettings,
  stageNames,
  stageOfKey,
  stageSettings,
} from '../../lib/settings/stages.ts';

const domain = {
  name: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d',
};

/** The configuration of a stage with other settings. */
function configure(settings: Partial<StageSettings>, stage: StageName = 'prod') {
  return stageConfiguration(stage, undefined, { ...stageSettings(stage), ...settings });
}

describe('the key prefix', () => {
  it.each(stageNames)('of %s distinguishes its keys from those of every other stage', (stage) => {
    const { apiKeyPrefix } = stageSettings(stage);

    expect(stageOfKey(`${apiKeyPrefix}0123`)).toBe(stage);
    expect(apiKeyPrefixes.filter((prefix) => prefix.startsWith(apiKeyPrefix))).toHaveLength(1);
    // The code that removes keys from texts relies on this form.
    expect(apiKeyPrefix).toMatch(/^so_[a-z]+_$/);
  });

  it("of a name that is not a stage's does not exist", () => {
    expect(stageOfKey('so_nowhere_0123')).toBeUndefined();
  });
});

describe('the configuration of a stage', () => {
  it.each([
    ['prod', true, 35, 'retain', true, 90],
    ['staging', false, 0, 'destroy', false, 14],
  ] as const)(
    'of %s protects its data (%s, %i days, %s), deploys gradually: %s, and keeps logs for %i days',
    (stage, deletionProtection, pointInTimeRecoveryDays, removalPolicy, gradualDeployment, logRetentionDays) => {
      expect(stageConfiguration(stage)).toMatchObject({
        stage,
        deletionProtection,
        pointInTimeRecoveryDays,
        removalPolicy,
        gradualDeployment,
        logRetentionDays,
        isEmergency: false,
      });
    },
  );

  it.each<[Partial<StageSettings>, string]>([
    [{ account: '12345' }, 'account is "12345": give its 12 digits'],
    [{ account: '123456789012', lambdaConcurrency: undefined }, 'lambdaConcurrency is missing'],
    [{ region: 'us-east-1', domain }, `certificateArn is "${domain.certificateArn}": use a`],
    [{ corsOrigin: 'https://a.example, https://b.example' }, 'give one origin'],
    [{ corsOrigin: 'https://shop.example.com/' }, 'give one origin'],
    [{ corsOrigin: 'https://shop.example.com:443' }, 'give one origin'],
    [{ corsOrigin: 'https://*.example.com' }, 'give one origin'],
    [{ corsOrigin: "https://shop'.example.com" }, 'give one origin'],
  ])('rejects %j and says what to write', (settings, remedy) => {
    expect(() => configure(settings)).toThrow(ConfigurationError);
    expect(() => configure(settings)).toThrow(/^lib\/settings\/stages\.ts, prod: /);
    expect(() => configure(settings)).toThrow(remedy);
  });

  it.each(['*', 'http://localhost:5173', 'http://[::1]:8080', 'https://shop.example.com:8443'])(
    'accepts the origin %s',
    (corsOrigin) => {
      expect(configure({ corsOrigin }).corsOrigin).toBe(corsOrigin);
    },
  );

  it('is that of an emergency only if its variable is `true`', () => {
    expect(stageConfiguration('prod', 'true').isEmergency).toBe(true);
    expect(stageConfiguration('prod', '').isEmergency).toBe(false);
    expect(() => stageConfiguration('prod', 'yes')).toThrow(
      'EMERGENCY_DEPLOYMENT is "yes": use true',
    );
  });
});

describe("the account's Lambda concurrency", () => {
  it.each([
    [1001, 500],
    [199, 99],
    [198, undefined],
    [10, undefined],
    [undefined, undefined],
  ])(
    'of %s gives lists %s: half, if 100 remain for functions without a reservation',
    (lambdaConcurrency, half) => {
      expect(listConcurrency({ lambdaConcurrency })).toBe(half);
    },
  );
});

describe('the synthesis', () => {
  const complete = { account: '123456789012', lambdaConcurrency: 1_000 };
  const asPublished = { account: '000000000000', lambdaConcurrency: undefined };

  it.each<[StageName, Partial<StageSettings>, string[]]>([
    ['prod', complete, []],
    ['prod', asPublished, ['account']],
    ['staging', asPublished, ['account']],
    ['staging', { ...complete, lambdaConcurrency: undefined }, []],
    ['prod', { ...complete, lambdaConcurrency: 10 }, ['smallLambdaConcurrency']],
    ['staging', { ...complete, lambdaConcurrency: 10 }, ['smallLambdaConcurrency']],
    ['prod', { ...complete, domain }, ['openDefaultEndpoint']],
    ['prod', { ...complete, domain: { ...domain, isDefaultEndpointClosed: true } }, []],
  ])('warns about %s with %j: %j', (stage, settings, expected) => {
    expect(Object.keys(warningsOf(configure(settings, stage)))).toEqual(expected);
  });
});

describe('plans', () => {
  it('R21, I26: let each Enterprise owner have its own limits, up to the rate of writes of one item', () => {
    const dynamoDbWritesPerSecondAndPartition = 1_000;

    expect(plans.enterprise.limitsPerOwner).toBe(true);
    expect(plans.enterprise.perMinute).toBeLessThanOrEqual(
      dynamoDbWritesPerSecondAndPartition * 60,
    );
  });

  it.each(planNames)('I25: tolerates more rejections than it allows requests: %s', (name) => {
    const { perMinute, toleratedRejectionsPerMinute, limitsPerOwner, banSeconds } = plans[name];

    expect(banSeconds).toBe(300);
    if (!limitsPerOwner) expect(toleratedRejectionsPerMinute).toBe(3 * perMinute);
  });
});
