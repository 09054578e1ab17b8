import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

/* Everything that differs between the stages. docs/first-deploy.md says what to fill in first. */

/** The place of a stage. */
export interface Env {
  /** 12 digits. */
  readonly account: string;
  readonly region: string;
}

/** The settings of a stage. */
export interface StageSettings {
  /**
   * The account and the Region of the stage. Deployments and commands with the credentials of another account fail. A
   * stage with `deletionProtection` requires this setting.
   *
   * @default - the account and the Region of the caller's credentials
   */
  readonly env?: Env | undefined;
  /**
   * The prefix of this stage's API keys: lower-case letters and `_`, with `_` at its end. Keys with another prefix are
   * refused without a read, so a change of the prefix makes all issued keys invalid.
   */
  readonly apiKeyPrefix: string;
  /**
   * The name of the API, and its ACM certificate in the stage's Region. API Gateway's own address stays open until a
   * later deployment sets `isDefaultEndpointClosed`. Set `isDefaultEndpointClosed` when DNS has the name and all
   * clients use the name. If you deploy another name, the old name stops working at once, before DNS can follow.
   *
   * @default - API Gateway's own name
   */
  readonly domain?: {
    readonly name: string;
    readonly certificateArn: string;
    readonly isDefaultEndpointClosed?: boolean;
  };
  /**
   * The origin whose scripts may call the API from a browser, such as `https://shop.example.com`, or `*` for all
   * origins. A list of origins is not possible, because each response would have to name the origin of its request,
   * and gateway responses cannot do so.
   *
   * @default - none: browsers withhold every response from scripts of other origins
   */
  readonly corsOrigin?: string;
  /** The path of the runbook, or its https address without a fragment. Alarms contain it. */
  readonly runbook: string;
  /**
   * The e-mail address to which alarms are sent after its owner has confirmed AWS's message. A stage with
   * `deletionProtection` requires an address.
   *
   * @default - alarms reach nobody
   */
  readonly alarmEmail?: string;
  readonly logRetentionDays: RetentionDays;
  /** API Gateway's throttle of each method. All methods together share the account's quota. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  /**
   * The account's quota of concurrent Lambda executions in the Region, as
   * `aws lambda get-account-settings` shows it: 1,000 by default, and 10 in some new accounts. Lists can use at most
   * half of the quota. A stage with `deletionProtection` requires this setting.
   *
   * @default - unknown: lists can use the whole quota
   */
  readonly lambdaConcurrency?: number;
  /**
   * A web ACL that blocks an IP address above this rate before the authorizer runs. The rate should be far above the
   * minimum, because one owner on the plan Business can reach the minimum, and several keys can share an address.
   *
   * @default - no web ACL
   */
  readonly firewall?: { readonly requestsPerIpPer5Minutes: number };
  /** Whether the stack and its tables are protected from deletion. */
  readonly deletionProtection: boolean;
  /** The days of point-in-time recovery of the tables, up to 35; 0 turns it off. */
  readonly pointInTimeRecoveryDays: number;
  /**
   * The names of restored tables that replace the stack's own tables (docs/runbook.md). The stack gives up a table that
   * is replaced. If the name is removed, the stack creates an empty table. The `removalPolicy` that was deployed before
   * decides whether the replaced table is deleted, so deploy `retain` first.
   *
   * @default - the stack creates its tables
   */
  readonly restoredTables?: Partial<Readonly<Record<'orders' | 'apiKeys' | 'owners', string>>>;
  /** Whether tables are retained or destroyed when the stack is deleted, or gives up a table. */
  readonly removalPolicy: 'retain' | 'destroy';
  /**
   * Whether new code receives a tenth of the traffic for ten minutes before it receives all traffic. If you turn this
   * on again, also change the code or description of each function. Otherwise, the deployment fails with "A version
   * for this Lambda function exists", because the function has not changed since its last version.
   */
  readonly gradualDeployment: boolean;
}

/** All stages. CONTRIBUTING.md lists everything that a new stage needs. */
const stages = {
  staging: {
    apiKeyPrefix: 'so_test_',
    runbook: 'docs/runbook.md',
    logRetentionDays: 14,
    throttle: { requestsPerSecond: 2_000, burst: 4_000 },
    deletionProtection: false,
    pointInTimeRecoveryDays: 0,
    removalPolicy: 'destroy',
    gradualDeployment: false,
  },
  prod: {
    apiKeyPrefix: 'so_live_',
    runbook: 'docs/runbook.md',
    logRetentionDays: 90,
    throttle: { requestsPerSecond: 10_000, burst: 5_000 },
    deletionProtection: true,
    pointInTimeRecoveryDays: 35,
    removalPolicy: 'retain',
    gradualDeployment: true,
  },
} as const satisfies Readonly<Record<string, StageSettings>>;

/** The name of an API Gateway stage and the suffix of its stack's name. */
export type StageName = keyof typeof stages | TrialName;

/** A stage for an afternoon, such as `try-ana`. */
type TrialName = `try-${string}`;

/** All stages except trials. */
export const stageNames = Object.keys(stages) as readonly (keyof typeof stages)[];

/** The names of stages, for messages. */
export const stageChoices = `${stageNames.join(', ')} or try-NAME, where NAME has 1 to 8 letters from a to z`;

/** Whether a name is that of a stage in the list or of a trial. */
export function isStageName(name: string | undefined): name is StageName {
  return name !== undefined && (Object.hasOwn(stages, name) || /^try-[a-z]{1,8}$/.test(name));
}

export function stageSettings(stage: StageName): StageSettings {
  const listed: Readonly<Record<string, StageSettings>> = stages;
  return listed[stage] ?? trialSettings(stage, stages.staging);
}

/** The name of a trial and `_` complete the prefix of its keys. */
const trialKeyPrefix = 'so_try';

/** The settings of a trial: a copy of staging in the same account, without settings that only one stage can have. */
export function trialSettings(stage: StageName, staging: StageSettings): StageSettings {
  return {
    ...staging,
    apiKeyPrefix: `${trialKeyPrefix}${stage.slice('try-'.length)}_`,
    domain: undefined,
    alarmEmail: undefined,
    // A trial reserves nothing, because the reservations of all stages would have to fit into the account's quota.
    lambdaConcurrency: undefined,
    restoredTables: undefined,
    deletionProtection: false,
    pointInTimeRecoveryDays: 0,
    removalPolicy: 'destroy',
    gradualDeployment: false,
  };
}

/** The prefixes of the keys of all stages except trials. */
export const apiKeyPrefixes = stageNames.map((stage) => stages[stage].apiKeyPrefix);

/** The pattern of all stages' prefixes, also of trials. */
export const anyKeyPrefix = `(?:${[...apiKeyPrefixes, `${trialKeyPrefix}[a-z]{1,8}_`].join('|')})`;

/** The stage whose keys have the same prefix as a key; undefined if there is none. */
export function stageOfKey(key: string): StageName | undefined {
  const [, trial] = new RegExp(`^${trialKeyPrefix}([a-z]+)_`).exec(key) ?? [];
  return [...stageNames, `try-${trial}`]
    .filter(isStageName)
    .find((stage) => key.startsWith(stageSettings(stage).apiKeyPrefix));
}
