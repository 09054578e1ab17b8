import { type StageName, type StageSettings, stageSettings } from './stages.ts';

/** The value of an environment variable does not have the form that it must have. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** An environment variable: the stage in upper case and the suffix, such as `PROD_ACCOUNT`. */
interface Variable {
  readonly suffix: string;
  /** The form of a valid value. A typing mistake would otherwise show minutes into a deployment. */
  readonly isValid: (value: string) => boolean;
  /** What to write instead, in the imperative. */
  readonly remedy: string;
}

/** The settings that must not be published with the code, all of them optional. */
const variables = {
  /** The account to deploy to. @default - the account of the credentials in use */
  account: {
    suffix: 'ACCOUNT',
    isValid: matches(/^\d{12}$/),
    remedy: "give the account's 12 digits, or leave it out to use the deploying credentials'",
  },
  /** The Region to deploy to. @default - the Region of the profile in use */
  region: {
    suffix: 'REGION',
    isValid: matches(/^[a-z]{2}(-[a-z]+)+-\d$/),
    remedy: "give a Region's code such as eu-central-1, or leave it out to use the profile's",
  },
  /** The custom domain of the API. @default - none, API Gateway's own address */
  domainName: {
    suffix: 'DOMAIN',
    isValid: matches(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/),
    remedy: 'give a host name in lower case such as api.example.com, without https:// or a path',
  },
  /** The ACM certificate for the domain, in the stack's Region. Either has to have the other. */
  certificateArn: {
    suffix: 'CERTIFICATE_ARN',
    isValid: matches(/^arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/),
    remedy: 'give an ACM certificate ARN: arn:aws:acm:<region>:<account>:certificate/<id>',
  },
  /**
   * The origin whose scripts may call the API from a browser, such as `https://shop.example.com`, or
   * `*` for all. There is only one, because with several a response has to name the origin of its
   * request, and gateway responses cannot do that.
   *
   * @default - none: browsers withhold every response from scripts of other origins
   */
  corsOrigin: {
    suffix: 'CORS_ORIGIN',
    isValid: (value) => value === '*' || isOrigin(value),
    remedy:
      "give one origin as browsers send it, such as https://shop.example.com, without a path, or '*'",
  },
  /** The recipient of alarms. @default - none: alarms show in the console only */
  alarmEmail: {
    suffix: 'ALARM_EMAIL',
    isValid: matches(/^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/),
    remedy: 'give one e-mail address, or leave it out',
  },
  /**
   * The address of `docs/runbook.md` in the descriptions of alarms, which CloudWatch limits to 1,024
   * characters.
   *
   * @default - the path in the repository instead of an address
   */
  runbookUrl: {
    suffix: 'RUNBOOK_URL',
    isValid: matches(/^https:\/\/[^\s#]{1,500}$/),
    remedy:
      "give the runbook's https URL without a fragment, which each alarm adds, or leave it out",
  },
  /**
   * `true` for a deployment that moves all traffic at once and ignores the alarms. It allows returning
   * to an earlier commit during an alarm, which would otherwise stop CodeDeploy.
   *
   * @default - alarms stop a deployment
   */
  emergencyDeployment: {
    suffix: 'EMERGENCY_DEPLOYMENT',
    isValid: matches(/^true$/),
    remedy: 'use true for an emergency deployment, or leave it out',
  },
  /**
   * How many executions of Lambda the account may have at the same time in the Region, as
   * `aws lambda get-account-settings` states it: 1,000 by default, and 10 in some new accounts. Lists,
   * which last as long as somebody reads them, get half of it and no more.
   *
   * @default - not known: lists share all of it with everything else
   */
  lambdaConcurrency: {
    suffix: 'LAMBDA_CONCURRENCY',
    isValid: matches(/^[1-9]\d{0,6}$/),
    remedy: 'use a whole number from 1',
  },
} as const satisfies Readonly<Record<string, Variable>>;

type VariableField = keyof typeof variables;

const fields = Object.keys(variables) as VariableField[];

/** Everything that distinguishes a stage: its settings in the code, and those of the environment. */
export type StageConfiguration = StageSettings &
  Readonly<Partial<Record<VariableField, string>>> & { readonly stage: StageName };

/** Environment variables, such as `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration of a stage.
 *
 * @throws ConfigurationError with one line for each invalid variable: its name, its value, the remedy
 */
export function stageConfiguration(stage: StageName, environment: Environment): StageConfiguration {
  // CI passes an unset variable as an empty string.
  const entries = fields.map((field) => [
    field,
    environment[variableName(stage, field)] || undefined,
  ]);
  const values = Object.fromEntries(entries) as Partial<Record<VariableField, string>>;
  const findings = [...malformed(stage, values), ...misplacedCertificate(stage, values)];
  if (findings.length > 0) throw new ConfigurationError(findings.join('\n'));
  return { ...values, ...stageSettings(stage), stage };
}

/** The environment variable of a field, such as `PROD_ALARM_EMAIL`. */
export function variableName(stage: StageName, field: VariableField): string {
  return `${stage.toUpperCase()}_${variables[field].suffix}`;
}

/** Warnings, by an id of their own, of settings without which trouble is likely or hard to notice. */
export function warningsOf(configuration: StageConfiguration): Record<string, string> {
  const { stage, deletionProtection, runbookUrl, alarmEmail, lambdaConcurrency } = configuration;
  const warnings: Record<string, string> = {};
  if (!runbookUrl) {
    warnings.runbookUrl = `The alarms of ${stage} name the runbook by its path, without an address: set ${variableName(stage, 'runbookUrl')} to its https URL.`;
  }
  if (!alarmEmail && deletionProtection) {
    warnings.alarmEmail = `Nobody is told of an alarm of ${stage}: set ${variableName(stage, 'alarmEmail')} to an e-mail address.`;
  }
  if (!lambdaConcurrency && deletionProtection) {
    warnings.lambdaConcurrency =
      `Slow readers of lists can take all of the account's Lambda concurrency: set ` +
      `${variableName(stage, 'lambdaConcurrency')} to what "aws lambda get-account-settings" states.`;
  }
  if (lambdaConcurrency && listConcurrency(configuration) === undefined) {
    warnings.smallLambdaConcurrency =
      `${lambdaConcurrency} concurrent executions are few: each request takes two, and a list one ` +
      `for as long as it is read. Ask AWS for 1,000; below ${2 * leastUnreserved - 1} none can be reserved.`;
  }
  return warnings;
}

/**
 * What Lambda keeps for functions without a reservation: it refuses one that leaves less.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const leastUnreserved = 100;

/**
 * How many lists may run at the same time: half of what the account may run, so that the other half
 * is there for the authorizer and for cancellations, whatever clients do with their lists.
 *
 * @returns undefined where the account's quota is not known, or too small to reserve of it
 */
export function listConcurrency({ lambdaConcurrency }: StageConfiguration): number | undefined {
  if (lambdaConcurrency === undefined) return undefined;
  const half = Math.floor(Number(lambdaConcurrency) / 2);
  return Number(lambdaConcurrency) - half >= leastUnreserved ? half : undefined;
}

type Values = Readonly<Partial<Record<VariableField, string>>>;

function malformed(stage: StageName, values: Values): string[] {
  return fields.flatMap((field) => {
    const value = values[field];
    const { isValid, remedy }: Variable = variables[field];
    if (value === undefined || isValid(value)) return [];
    return [`${variableName(stage, field)} is ${JSON.stringify(value)}: ${remedy}`];
  });
}

function misplacedCertificate(
  stage: StageName,
  { domainName, certificateArn, region }: Values,
): string[] {
  const [domain, certificate] = [
    variableName(stage, 'domainName'),
    variableName(stage, 'certificateArn'),
  ];
  if (!domainName !== !certificateArn) {
    return [`${domain} and ${certificate} belong together: set both, or leave both out`];
  }
  if (!region || !certificateArn || certificateArn.split(':')[3] === region) return [];
  return [
    `${certificate} is ${JSON.stringify(certificateArn)}: use a certificate in the API's own Region, ${region}`,
  ];
}

function matches(pattern: RegExp): (value: string) => boolean {
  return (value) => pattern.test(value);
}

/** Whether a text has the form of an `Origin` header: lower case, without the default port. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.[\]:-]+$/.test(text) && URL.parse(text)?.origin === text;
}
