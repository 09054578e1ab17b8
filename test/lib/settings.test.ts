import { describe, expect, it } from '@jest/globals';
import { listConcurrency } from '../../lib/settings/functions.ts';
import { stackName, stageOfStack } from '../../lib/settings/names.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { findingsIn } from '../../lib/settings/settings-checks.ts';
import {
  ConfigurationError,
  stageConfiguration,
  warningsOf,
} from '../../lib/settings/stage-configuration.ts';
import {
  anyKeyPrefix,
  apiKeyPrefixes,
  isStageName,
  type StageName,
  type StageSettings,
  stageNames,
  stageOfKey,
  stageSettings,
  trialSettings,
} from '../../lib/settings/stages.ts';
import { keyPrefix } from '../helpers/dynamodb/key-items.ts';

const env = { account: '123456789012', region: 'eu-central-1' };
const domain = {
  name: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d',
};

/** The settings of a stage as they are published, without the values that a team has entered. */
function published(stage: StageName): StageSettings {
  const empty = { alarmEmail: undefined, lambdaConcurrency: undefined, domain: undefined };
  return { ...stageSettings(stage), env: undefined, ...empty };
}

/** The configuration of a stage whose published settings are replaced by other settings. */
function configure(settings: Partial<StageSettings>, stage: StageName = 'prod') {
  return stageConfiguration(stage, {}, { ...published(stage), ...settings });
}

describe('the key prefix', () => {
  it.each([...stageNames, 'try-ana'] as const)(
    'of %s distinguishes its keys from the keys of every other stage',
    (stage) => {
      const { apiKeyPrefix } = stageSettings(stage);

      expect(stageOfKey(`${apiKeyPrefix}0123`)).toBe(stage);
      const others = apiKeyPrefixes.filter((prefix) => prefix !== apiKeyPrefix);
      expect(others.filter((prefix) => prefix.startsWith(apiKeyPrefix))).toEqual([]);
      expect(`${apiKeyPrefix}0123`).toMatch(new RegExp(`^${anyKeyPrefix}0123$`));
    },
  );

  it("of a name that is not a stage's does not exist", () => {
    const ofNobody = stageSettings('try-ana').apiKeyPrefix.replace('ana', '');

    expect(stageOfKey('nowhere_0123')).toBeUndefined();
    expect(stageOfKey(`${ofNobody}0123`)).toBeUndefined();
  });
});

describe('a trial', () => {
  it.each(['try-', 'try-Ana', 'try-ana2', 'try-ana-b', 'try-abcdefghi', 'tryana', 'try-ana\n'])(
    'cannot be called %j',
    (name) => {
      expect(isStageName(name)).toBe(false);
    },
  );

  it('is a copy of staging, without what only one stage can have, and without protection', () => {
    const ofOneStage = { domain, alarmEmail: 'a@b.example', restoredTables: { orders: 'one' } };
    const staging = { ...published('prod'), ...ofOneStage, env, lambdaConcurrency: 1_000 };

    const { apiKeyPrefix: _, ...trial } = trialSettings('try-ana', staging);

    expect(trial).toEqual({
      ...{ env, runbook: staging.runbook, throttle: staging.throttle },
      ...{ logRetentionDays: staging.logRetentionDays, pointInTimeRecoveryDays: 0 },
      ...{ deletionProtection: false, removalPolicy: 'destroy', gradualDeployment: false },
    });
  });

  it('belongs to the stack of its name alone', () => {
    expect(stageOfStack(stackName('try-ana'))).toBe('try-ana');
    expect(stageOfStack('try-ana')).toBeUndefined();
    expect(stageOfStack(`${stackName('try-ana')}-operator`)).toBeUndefined();
  });
});

describe('the configuration of a stage', () => {
  it.each<[Partial<StageSettings>, string]>([
    [{ env: { ...env, region: 'us-east-1' }, domain }, `"${domain.certificateArn}": use a`],
    [{ env: { ...env, account: '210987654321' }, domain }, 'of account 210987654321 in eu-central'],
    [{ domain: { ...domain, name: 'https://api.example.com' } }, 'domain.name is "https://api'],
    [{ apiKeyPrefix: 'a.b_' }, 'apiKeyPrefix is "a.b_": give lower-case letters and _'],
    [{ apiKeyPrefix: keyPrefix }, `apiKeyPrefix is "${keyPrefix}": give lower-case letters and _`],
    [{ firewall: { requestsPerIpPer5Minutes: 4_999 } }, 'is 4999: give at least 5000'],
    [{ restoredTables: { orders: 'arn:aws:dynamodb:eu-central-1:1:table/x' } }, 'not its ARN'],
    [{ restoredTables: { apiKeys: 'one', owners: 'one' } }, 'restoredTables.owners is "one": give'],
    [{ corsOrigin: 'https://a.example, https://b.example' }, 'give one origin'],
    [{ corsOrigin: 'https://shop.example.com:443' }, 'give one origin'],
    [{ corsOrigin: "https://shop'.example.com" }, 'give one origin'],
  ])('rejects %j and says what to write', (settings, remedy) => {
    expect(() => configure(settings)).toThrow(ConfigurationError);
    expect(() => configure(settings)).toThrow(/^lib\/settings\/stages\.ts, prod: /);
    expect(() => configure(settings)).toThrow(remedy);
  });

  it.each<[string, Partial<StageSettings>]>([
    ['domain.name is "api.example.com": give', { domain }],
    ['restoredTables.orders is "restored": give', { restoredTables: { orders: 'restored' } }],
  ])('rejects what another stage already has: %s', (finding, settings) => {
    const staging = { ...published('staging'), ...settings };

    expect([...findingsIn(staging, [published('prod')])]).toEqual([]);
    expect([...findingsIn(staging, [{ ...published('prod'), ...settings }])]).toEqual([
      expect.stringContaining(finding),
    ]);
  });

  it('names all mistakes, each in a line', () => {
    const settings = { env, corsOrigin: 'shop.example.com' };

    expect(() => configure(settings)).toThrow(
      /^.+lambdaConcurrency is missing: give .+\n.+alarmEmail is missing: give .+\n.+corsOrigin.+$/,
    );
  });

  it.each(['*', 'http://localhost:5173', 'http://[::1]:8080', 'https://shop.example.com:8443'])(
    'accepts the origin %s',
    (corsOrigin) => {
      expect(configure({ corsOrigin }).corsOrigin).toBe(corsOrigin);
    },
  );

  it('is for an emergency deployment only if the variable is `true`', () => {
    const withVariable = (EMERGENCY_DEPLOYMENT: string) =>
      stageConfiguration('prod', { EMERGENCY_DEPLOYMENT });

    expect(withVariable('true').isEmergency).toBe(true);
    expect(withVariable('').isEmergency).toBe(false);
    expect(() => withVariable('yes')).toThrow('EMERGENCY_DEPLOYMENT is "yes": use true');
  });
});

describe('the account and the Region of a stage', () => {
  const caller = { CDK_DEFAULT_ACCOUNT: '210987654321', CDK_DEFAULT_REGION: 'eu-west-1' };
  const placeholder = { account: '000000000000', region: 'eu-central-1' };
  const callers = { account: '210987654321', region: 'eu-west-1' };

  it.each<[string, StageName, Partial<StageSettings>, object, object]>([
    ['those that it names', 'staging', { env }, caller, env],
    ["otherwise the caller's", 'staging', {}, caller, callers],
    ["the caller's for a trial", 'try-ana', {}, caller, callers],
    ['a placeholder without credentials', 'staging', {}, { CDK_DEFAULT_REGION: 'x' }, placeholder],
    ["never the caller's if it is protected", 'prod', {}, caller, placeholder],
  ])('are %s', (_, stage, settings, variables, expected) => {
    const configuration = stageConfiguration(stage, variables, {
      ...published(stage),
      ...settings,
    });

    expect(configuration.env).toEqual(expected);
  });

  it("determine where a certificate has to be, even if they are the caller's", () => {
    expect(() =>
      stageConfiguration('staging', caller, { ...published('staging'), domain }),
    ).toThrow('use a certificate of account 210987654321 in eu-west-1');
  });
});

it.each([
  [1001, 500],
  [199, 99],
  [198, undefined],
  [undefined, undefined],
])(
  "the account's Lambda concurrency of %s gives lists %s: half, if 100 remain for functions without a reservation",
  (lambdaConcurrency, half) => {
    expect(listConcurrency({ lambdaConcurrency })).toBe(half);
  },
);

const complete = {
  env,
  lambdaConcurrency: 1_000,
  alarmEmail: 'operator@example.com',
};
it.each<[StageName, Partial<StageSettings>, string[]]>([
  ['prod', complete, []],
  ['prod', {}, ['account']],
  ['staging', {}, ['account']],
  ['staging', { ...complete, lambdaConcurrency: undefined }, []],
  ['prod', { ...complete, lambdaConcurrency: 10 }, ['smallLambdaConcurrency']],
  ['staging', { ...complete, lambdaConcurrency: 10 }, ['smallLambdaConcurrency']],
  ['prod', { ...complete, domain }, ['openDefaultEndpoint']],
  ['prod', { ...complete, domain: { ...domain, isDefaultEndpointClosed: true } }, []],
])('the synthesis warns about %s with %j: %j', (stage, settings, expected) => {
  expect(Object.keys(warningsOf(configure(settings, stage)))).toEqual(expected);
});

describe('plans', () => {
  it('R21, I26: let each Enterprise owner have its own limits, up to the rate of writes of one item', () => {
    const dynamoDbWritesPerSecondAndPartition = 1_000;

    expect(plans.enterprise.limitsPerOwner).toBe(true);
    expect(plans.enterprise.perMinute).toBeLessThanOrEqual(
      dynamoDbWritesPerSecondAndPartition * 60,
    );
  });

  it.each(planNames)('I25: tolerates three times as many rejections as requests: %s', (name) => {
    const { perMinute, toleratedRejectionsPerMinute, limitsPerOwner } = plans[name];

    if (!limitsPerOwner) expect(toleratedRejectionsPerMinute).toBe(3 * perMinute);
  });
});
