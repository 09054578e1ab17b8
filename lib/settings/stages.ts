/**
 * Everything that differs between the deployments, in the one typed file that holds it. What must
 * not be published with the code (accounts, addresses) comes from the environment of whoever
 * deploys: `STAGING_ACCOUNT`, `PROD_ACCOUNT` and so on, one variable for each field below that
 * names one.
 */

export interface StageConfiguration {
  /** Name of the API Gateway stage, and suffix of the stack's name. */
  readonly stage: StageName;
  /** What this stage's API keys start with; another stage's keys are refused unread. */
  readonly apiKeyPrefix: `so_${string}_`;
  /** Account to deploy to (`…_ACCOUNT`). @default - the account of the credentials that deploy */
  readonly account?: string;
  /** Region to deploy to (`…_REGION`). @default - the Region of the profile that deploys */
  readonly region?: string;
  /** Name to be reached under (`…_DOMAIN`). @default - API Gateway's own name */
  readonly domainName?: string;
  /**
   * ACM certificate for `domainName`, in the stack's own Region (`…_CERTIFICATE_ARN`).
   *
   * @default - none; required with `domainName`
   */
  readonly certificateArn?: string;
  /**
   * Whose scripts may call the API from a browser (`…_CORS_ORIGIN`): one origin such as
   * `https://shop.example.com`, or `*` for everyone's. It is one at the most: of several, an answer
   * would have to name the one that asked, which API Gateway's own answers cannot.
   *
   * @default - nobody's: browsers keep every answer from scripts of other origins
   */
  readonly corsOrigins?: readonly string[];
  /** Who is told of an alarm (`…_ALARM_EMAIL`). @default - nobody: alarms show in the console */
  readonly alarmEmail?: string;
  /**
   * Where `docs/runbook.md` can be read, as the alarms name it (`…_RUNBOOK_URL`).
   *
   * @default - its path in the repository, which whoever is woken has to find first
   */
  readonly runbookUrl?: string;
  /** How long logs are kept: one of the periods that CloudWatch Logs knows. */
  readonly logRetentionDays: number;
  /** What the whole stage accepts, whoever asks: API Gateway's own throttle. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  /**
   * A web ACL in front of the authorizer, which blocks an IP address above this rate before
   * anything is paid for. Keys share addresses: keep it above five times the largest `perMinute`.
   *
   * @default - no web ACL
   */
  readonly firewall?: { readonly requestsPerIpPer5Minutes: number };
  /** Whether tables refuse to be deleted, by hand or by CloudFormation. */
  readonly deletionProtection: boolean;
  /** Days that tables can be restored to any second of, up to 35; 0 turns it off. */
  readonly pointInTimeRecoveryDays: number;
  /** What happens to tables when the stack is deleted. */
  readonly removalPolicy: 'retain' | 'destroy';
  /** Whether new code gets a tenth of the traffic for five minutes, and all of it only then. */
  readonly gradualDeployment: boolean;
  /**
   * `true` for one deployment that takes all traffic at once and ignores the alarms
   * (`…_EMERGENCY_DEPLOYMENT`): the way back to an earlier commit while an alarm is on, at which
   * CodeDeploy would otherwise stop.
   *
   * @default - none: deployments are guarded
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

/** What the code holds of a stage; the rest of its configuration comes from the environment. */
type StageSettings = Omit<StageConfiguration, 'stage' | keyof typeof suffixes>;

/** The stages. One more entry is one more stage, everywhere. */
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

/** Values from outside, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of one stage; `environment` supplies what the code does not hold. */
export function stageConfiguration(stage: StageName, environment: Environment): StageConfiguration {
  return { ...fromEnvironment(stage, environment), ...stages[stage], stage };
}

/** Name of the variable that supplies a field: `PROD_ALARM_EMAIL`. */
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
} as const;

function fromEnvironment(stage: StageName, environment: Environment) {
  // CI passes a variable that is not configured as an empty string.
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
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
