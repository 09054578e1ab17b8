import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { StageConfiguration } from './stages.ts';

/** A setting in `stages.ts` or in an environment variable is not valid. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

interface Rule {
  readonly field: string;
  readonly value: unknown;
  readonly isValid: boolean;
  /** What to write instead, in the imperative. */
  readonly remedy: string;
}

/**
 * Checks a stage's configuration at synthesis. Otherwise a typing mistake would show only minutes
 * into a deployment, or not at all.
 *
 * @throws ConfigurationError with one line for each invalid field: its name, its value, the remedy
 */
export function validateConfiguration(configuration: StageConfiguration): void {
  const broken = rules(configuration).filter(({ isValid }) => !isValid);
  if (broken.length === 0) return;
  const lines = broken.map(
    ({ field, value, remedy }) =>
      `${configuration.stage}.${field} is ${JSON.stringify(value) ?? 'missing'}: ${remedy}`,
  );
  throw new ConfigurationError(lines.join('\n'));
}

function rules(configuration: StageConfiguration): Rule[] {
  return [
    ...locationRules(configuration),
    ...domainRules(configuration),
    ...corsRules(configuration),
    ...numberRules(configuration),
    {
      field: 'alarmEmail',
      value: configuration.alarmEmail,
      isValid: matchesOrIsAbsent(configuration.alarmEmail, /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/),
      remedy: 'give one e-mail address, or leave it out',
    },
    {
      field: 'runbookUrl',
      value: configuration.runbookUrl,
      isValid: isPageOrAbsent(configuration.runbookUrl),
      remedy:
        "give the runbook's https URL without a fragment, which each alarm adds, or leave it out",
    },
    {
      field: 'emergencyDeployment',
      value: configuration.emergencyDeployment,
      isValid: matchesOrIsAbsent(configuration.emergencyDeployment, /^true$/),
      remedy: 'use true for an emergency deployment, or leave it out',
    },
    {
      field: 'removalPolicy',
      value: configuration.removalPolicy,
      isValid: !(configuration.deletionProtection && configuration.removalPolicy === 'destroy'),
      remedy:
        "use 'retain', or set deletionProtection to false: a protected table cannot be deleted",
    },
  ];
}

/** Leaves room in an alarm's description, which must not exceed CloudWatch's 1,024 characters. */
const maxUrlLength = 512;

function isPageOrAbsent(url: string | undefined): boolean {
  if (url === undefined) return true;
  return /^https:\/\/[^\s#]+$/.test(url) && URL.canParse(url) && url.length <= maxUrlLength;
}

function locationRules({ account, region }: StageConfiguration): Rule[] {
  return [
    {
      field: 'account',
      value: account,
      isValid: matchesOrIsAbsent(account, /^\d{12}$/),
      remedy: "give the account's 12 digits, or leave it out to use the deploying credentials'",
    },
    {
      field: 'region',
      value: region,
      isValid: matchesOrIsAbsent(region, /^[a-z]{2}(-[a-z]+)+-\d$/),
      remedy: "give a Region's code such as eu-central-1, or leave it out to use the profile's",
    },
  ];
}

function domainRules({ domainName, certificateArn, region }: StageConfiguration): Rule[] {
  const certificateRegion = /^arn:[a-z-]+:acm:([a-z0-9-]+):\d{12}:certificate\/[\w-]+$/.exec(
    certificateArn ?? '',
  )?.[1];
  return [
    {
      field: 'domainName',
      value: domainName,
      isValid: matchesOrIsAbsent(
        domainName,
        /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      ),
      remedy: 'give a host name in lower case such as api.example.com, without https:// or a path',
    },
    {
      field: 'domainName',
      value: domainName,
      isValid: certificateArn === undefined || domainName !== undefined,
      remedy: 'name the domain that certificateArn is for, or leave both out',
    },
    {
      field: 'certificateArn',
      value: certificateArn,
      isValid: domainName === undefined || certificateArn !== undefined,
      remedy: 'give the ARN of an ACM certificate for domainName, or leave both out',
    },
    {
      field: 'certificateArn',
      value: certificateArn,
      isValid: certificateArn === undefined || certificateRegion !== undefined,
      remedy: 'give an ACM certificate ARN: arn:aws:acm:<region>:<account>:certificate/<id>',
    },
    {
      field: 'certificateArn',
      value: certificateArn,
      isValid: !certificateRegion || !region || certificateRegion === region,
      remedy: `use a certificate in the API's own Region, ${region}`,
    },
  ];
}

function corsRules({ corsOrigins = [] }: StageConfiguration): Rule[] {
  return [
    {
      field: 'corsOrigins',
      value: corsOrigins,
      isValid: corsOrigins.length <= 1,
      remedy: "give one origin, '*' for all, or none: API Gateway cannot choose between several",
    },
    {
      field: 'corsOrigins',
      value: corsOrigins,
      isValid: corsOrigins.every((origin) => origin === '*' || isOrigin(origin)),
      remedy:
        "give an origin as browsers send it, such as https://shop.example.com, without a path, or '*'",
    },
  ];
}

/** Whether a text has the form of an `Origin` header: lower case, without the default port. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.[\]:-]+$/.test(text) && URL.parse(text)?.origin === text;
}

function numberRules(configuration: StageConfiguration): Rule[] {
  const { logRetentionDays, pointInTimeRecoveryDays, throttle, firewall, lambdaConcurrency } =
    configuration;
  const periods = Object.values(RetentionDays).filter((days) => typeof days === 'number');
  return [
    {
      field: 'logRetentionDays',
      value: logRetentionDays,
      isValid: periods.includes(logRetentionDays),
      remedy: `use a period that CloudWatch Logs knows: ${periods.join(', ')}`,
    },
    integerRule('pointInTimeRecoveryDays', pointInTimeRecoveryDays, 0, 35),
    integerRule('throttle.requestsPerSecond', throttle.requestsPerSecond, 1, 1_000_000),
    integerRule('throttle.burst', throttle.burst, 1, 1_000_000),
    ...(lambdaConcurrency === undefined
      ? []
      : [integerRule('lambdaConcurrency', lambdaConcurrency, 1, 1_000_000)]),
    // These are the bounds of AWS WAF for a rate-based rule.
    ...(firewall
      ? [
          integerRule(
            'firewall.requestsPerIpPer5Minutes',
            firewall.requestsPerIpPer5Minutes,
            10,
            2_000_000_000,
          ),
        ]
      : []),
  ];
}

function integerRule(field: string, value: number, min: number, max: number): Rule {
  return {
    field,
    // JSON has no NaN, and would show `null`.
    value: Number.isNaN(value) ? 'no number' : value,
    isValid: Number.isInteger(value) && value >= min && value <= max,
    remedy: `use a whole number from ${min} to ${max}`,
  };
}

function matchesOrIsAbsent(value: string | undefined, pattern: RegExp): boolean {
  return value === undefined || pattern.test(value);
}
