import { describe, expect, it } from '@jest/globals';
import {
  ConfigurationError,
  validateConfiguration,
} from '../../../lib/settings/stage-validation.ts';
import { type StageConfiguration, stageConfiguration } from '../../../lib/settings/stages.ts';
import { variablesReadFor } from '../../helpers/functions/read-variables.ts';

const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d';

/** The fields of a setting that hold a number, each with a configuration in which it is none. */
function numbersIn([field, value]: [string, unknown]): [string, object][] {
  if (typeof value === 'number') return [[field, { [field]: -0.5 }]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, inner]) => typeof inner === 'number')
    .map(([name]) => [`${field}.${name}`, { [field]: { ...value, [name]: -0.5 } }]);
}

describe('validateConfiguration', () => {
  const valid = stageConfiguration('prod', {});

  it.each(['prod', 'staging'] as const)('accepts what the repository holds: %s', (stage) => {
    expect(() => validateConfiguration(stageConfiguration(stage, {}))).not.toThrow();
  });

  it('accepts everything optional', () => {
    const configuration = {
      ...valid,
      account: '123456789012',
      region: 'eu-central-1',
      domainName: 'orders.api.example.com',
      certificateArn,
      alarmEmail: 'alarms@example.com',
      runbookUrl: 'https://example.com/store-orders/blob/main/docs/runbook.md',
      corsOrigins: ['https://shop.example.com:8443'],
      firewall: { requestsPerIpPer5Minutes: 400_000 },
      lambdaConcurrency: 1_000,
    };

    expect(() => validateConfiguration(configuration)).not.toThrow();
  });

  it.each<[Partial<StageConfiguration>, string]>([
    [{ account: '12345' }, 'prod.account is "12345": give the account\'s 12 digits'],
    [{ region: 'Frankfurt' }, 'prod.region is "Frankfurt": give a Region\'s code'],
    [
      { domainName: 'https://api.example.com', certificateArn },
      'prod.domainName is "https://api.example.com": give a host name',
    ],
    [{ domainName: 'api.example.com' }, 'prod.certificateArn is missing: give the ARN'],
    [{ certificateArn }, 'prod.domainName is missing: name the domain'],
    [
      { domainName: 'api.example.com', certificateArn: 'arn:aws:iam::123456789012:role/x' },
      'prod.certificateArn is "arn:aws:iam::123456789012:role/x": give an ACM certificate ARN',
    ],
    [
      { domainName: 'api.example.com', certificateArn, region: 'us-east-1' },
      "use a certificate in the API's own Region, us-east-1",
    ],
    [{ lambdaConcurrency: Number('many') }, 'prod.lambdaConcurrency is "no number": use a whole'],
    [{ lambdaConcurrency: 0 }, 'prod.lambdaConcurrency is 0: use a whole number from 1'],
    [{ emergencyDeployment: 'yes' }, 'prod.emergencyDeployment is "yes": use true'],
    [{ alarmEmail: 'nobody' }, 'prod.alarmEmail is "nobody": give one e-mail address'],
    ...[
      'docs/runbook.md',
      'http://example.com/runbook.md',
      'https://example.com/runbook.md#server-errors',
      'https://example.com/run book.md',
      'https://',
      `https://example.com/${'a'.repeat(500)}`,
    ].map((runbookUrl): [Partial<StageConfiguration>, string] => [
      { runbookUrl },
      `prod.runbookUrl is "${runbookUrl}": give the runbook's https URL`,
    ]),
    [
      { corsOrigins: ['https://a.example', 'https://b.example'] },
      'prod.corsOrigins is ["https://a.example","https://b.example"]: give one origin',
    ],
    ...[
      'https://shop.example.com/',
      'https://Shop.example.com',
      'https://shop.example.com:443',
      'https://*.example.com',
      'shop.example.com',
      "https://shop'.example.com",
      'null',
    ].map((origin): [Partial<StageConfiguration>, string] => [
      { corsOrigins: [origin] },
      `prod.corsOrigins is ["${origin}"]: give an origin as browsers send it`,
    ]),
    [{ logRetentionDays: 15 }, 'prod.logRetentionDays is 15: use a period'],
    [{ pointInTimeRecoveryDays: 36 }, 'prod.pointInTimeRecoveryDays is 36: use a whole number'],
    [
      { throttle: { requestsPerSecond: 0, burst: 1 } },
      'prod.throttle.requestsPerSecond is 0: use a whole number from 1',
    ],
    [
      { throttle: { requestsPerSecond: 1, burst: 0.5 } },
      'prod.throttle.burst is 0.5: use a whole number from 1',
    ],
    [
      { firewall: { requestsPerIpPer5Minutes: 9 } },
      'prod.firewall.requestsPerIpPer5Minutes is 9: use a whole number from 10',
    ],
    [{ removalPolicy: 'destroy' }, 'prod.removalPolicy is "destroy": use \'retain\''],
  ])('refuses %j, naming field, value and remedy in one line', (overrides, message) => {
    const validate = () => validateConfiguration({ ...valid, ...overrides });

    expect(validate).toThrow(ConfigurationError);
    expect(validate).toThrow(message);
    expect(validate).toThrow(/^.*$/);
  });

  it.each(Object.entries(valid).flatMap(numbersIn))(
    'has a rule for the number %s',
    (field, spoilt) => {
      const validate = () => validateConfiguration({ ...valid, ...spoilt });

      // A rule is missing in lib/settings/stage-validation.ts where nothing is thrown.
      expect(validate).toThrow(`prod.${field} is `);
    },
  );

  it.each(variablesReadFor('prod'))('has a rule for the variable %s', (name) => {
    const validate = () =>
      validateConfiguration(stageConfiguration('prod', { [name]: 'no value!' }));

    expect(validate).toThrow(ConfigurationError);
  });

  it.each(['*', 'http://localhost:5173', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'accepts the origin %s',
    (origin) => {
      expect(() => validateConfiguration({ ...valid, corsOrigins: [origin] })).not.toThrow();
    },
  );

  it('names all that is wrong, a line each', () => {
    const validate = () => validateConfiguration({ ...valid, account: '1', alarmEmail: 'x' });

    expect(validate).toThrow(/^prod\.account .*\nprod\.alarmEmail .*$/);
  });
});
