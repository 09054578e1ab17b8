/*
 * This file holds everything that differs between the stages. Settings that must not be published
 * with the code, such as accounts and addresses, come from environment variables at synthesis. Their
 * names are the stage and the suffix that a field's comment gives: `PROD_ACCOUNT`, for example.
 */

export interface StageConfiguration {
  /** The name of the API Gateway stage and the suffix of the stack's name. */
  readonly stage: StageName;
  /** The prefix of this stage's API keys. Keys with another prefix are refused without a read. */
  readonly apiKeyPrefix: `so_${string}_`;
  /** The account to deploy to (`…_ACCOUNT`). @default - the account of the credentials in use */
  readonly account?: string;
  /** The Region to deploy to (`…_REGION`). @default - the Region of the profile in use */
  readonly region?: string;
  /** The custom domain of the API (`…_DOMAIN`). @default - none, API Gateway's own address */
  readonly domainName?: string;
  /**
   * The ACM certificate for `domainName`, in the stack's Region (`…_CERTIFICATE_ARN`).
   *
   * @default - none; required with `domainName`
   */
  readonly certificateArn?: string;
  /**
   * The origin whose scripts may call the API from a browser (`…_CORS_ORIGIN`), such as
   * `https://shop.example.com`, or `*` for all. More than one origin is not allowed, because a
   * response has to name the origin of its request then, and gateway responses cannot do that.
   *
   * @default - none: browsers withhold every response from scripts of other origins
   */
  readonly corsOrigins?: readonly string[];
  /** The recipient of alarms (`…_ALARM_EMAIL`). @default - none: alarms show in the console only */
  readonly alarmEmail?: string;
  /**
   * The address of `docs/runbook.md` in the descriptions of alarms (`…_RUNBOOK_URL`).
   *
   * @default - the path in the repository instead of an address
   */
  readonly runbookUrl?: string;
  /** How long logs are kept: one of the periods that CloudWatch Logs supports. */
  readonly logRetentionDays: number;
  /** API Gateway's throttle of the whole stage. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  /**
   * A web ACL that blocks an IP address above this rate before the authorizer runs. Several keys can
   * share an address, so the rate should be above five times the largest `perMinute`.
   *
   * @default - no web ACL
   */
  readonly firewall?: { readonly requestsPerIpPer5Minutes: number };
  /** Whether tables are protected from deletion, both manual and by CloudFormation. */
  readonly deletionProtection: boolean;
  /** The days of point-in-time recovery of the tables, up to 35; 0 turns it off. */
  readonly pointInTimeRecoveryDays: number;
  /** What happens to the tables when the stack is deleted. */
  readonly removalPolicy: 'retain' | 'destroy';
  /** Whether new code receives a tenth of the traffic for five minutes before it receives all. */
  readonly gradualDeployment: boolean;
  /**
   * `true` for a deployment that moves all traffic at once and ignores the alarms
   * (`…_EMERGENCY_DEPLOYMENT`). It allows returning to an earlier commit during an alarm, which would
   * otherwise stop CodeDeploy.
   *
   * @default - alarms stop a deployment
   */
  readonly emergencyDeployment?: string;
  /**
   * How many executions of Lambda the account may have at the same time in the Region
   * (`…_LAMBDA_CONCURRENCY`), as `aws lambda get-account-settings` states it: 1,000 by default, and 10 in
   * some new accounts. Lists, which last as long as somebody reads them, get half of it and no more.
   *
   * @default - not known: lists share all of it with everything else
   */
  readonly lambdaConcurrency?: number;
}

/** The settings of a stage that are in this file rather than in environment variables. */
type StageSettings = Omit<StageConfiguration, 'stage' | keyof typeof suffixes>;

/** All stages. A new entry adds a stage everywhere. */
const stages = {
  staging: {
    apiKeyPrefix: 'so_test_',
    logRetentionDays: 14,
    throttle: { requestsPerSecond: 2_000, burst: 4_000 },
    deletionProtection: false,
    pointInTimeRecoveryDays: 0,
    removalPolicy: 'destroy',
    gradualDeployment: false,
  },
  prod: {
    apiKeyPrefix: 'so_live_',
    logRetentionDays: 90,
    throttle: { requestsPerSecond: 10_000, burst: 5_000 },
    deletionProtection: true,
    pointInTimeRecoveryDays: 35,
    removalPolicy: 'retain',
    gradualDeployment: true,
  },
} as const satisfies Readonly<Record<string, StageSettings>>;

export type StageName = keyof typeof stages;

export const stageNames = Object.keys(stages) as readonly StageName[];

/** Whether there is a stage of this name. */
export function isStageName(name: string | undefined): name is StageName {
  return name !== undefined && Object.hasOwn(stages, name);
}

export const apiKeyPrefixes = stageNames.map((stage) => stages[stage].apiKeyPrefix);

/** The stage whose keys have the prefix of this one. */
export function stageOfKey(key: string): StageName | undefined {
  return stageNames.find((stage) => key.startsWith(stages[stage].apiKeyPrefix));
}

/** Environment variables, such as `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of a stage, from this file and from environment variables. */
export function stageConfiguration(stage: StageName, environment: Environment): StageConfiguration {
  return { ...fromEnvironment(stage, environment), ...stages[stage], stage };
}

/** The environment variable of a field, such as `PROD_ALARM_EMAIL`. */
export function variableName(stage: StageName, field: keyof typeof suffixes): string {
  return `${stage.toUpperCase()}_${suffixes[field]}`;
}

const suffixes = {
  account: 'ACCOUNT',
  region: 'REGION',
  domainName: 'DOMAIN',
  certificateArn: 'CERTIFICATE_ARN',
  corsOrigins: 'CORS_ORIGIN',
  alarmEmail: 'ALARM_EMAIL',
  runbookUrl: 'RUNBOOK_URL',
  emergencyDeployment: 'EMERGENCY_DEPLOYMENT',
  lambdaConcurrency: 'LAMBDA_CONCURRENCY',
} as const satisfies Partial<Readonly<Record<keyof StageConfiguration, string>>>;

function fromEnvironment(stage: StageName, environment: Environment) {
  // CI passes an unset variable as an empty string.
  const value = (field: keyof typeof suffixes) =>
    environment[variableName(stage, field)] || undefined;
  return {
    account: value('account'),
    region: value('region'),
    domainName: value('domainName'),
    certificateArn: value('certificateArn'),
    corsOrigins: value('corsOrigins')?.split(/[\s,]+/),
    alarmEmail: value('alarmEmail'),
    runbookUrl: value('runbookUrl'),
    emergencyDeployment: value('emergencyDeployment'),
    lambdaConcurrency: numberOf(value('lambdaConcurrency')),
  } satisfies Record<keyof typeof suffixes, unknown>;
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
