import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

/*
 * This file holds everything that differs between the stages, except for what must not be published
 * with the code: `stage-variables.ts` reads that from the environment.
 */

/** The settings of a stage that are published with the code. */
export interface StageSettings {
  /** The prefix of this stage's API keys. Keys with another prefix are refused without a read. */
  readonly apiKeyPrefix: `so_${string}_`;
  /** How long logs are kept. */
  readonly logRetentionDays: RetentionDays;
  /** API Gateway's throttle of the whole stage. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  /**
   * A web ACL that blocks an IP address above this rate before the authorizer runs. Several keys can
   * share an address, so the rate should be above five times the largest `perMinute`.
   *
   * @default - no web ACL
   */
  readonly firewall?: { readonly requestsPerIpPer5Minutes: number };
  /** Whether the stack and its tables are protected from deletion. */
  readonly deletionProtection: boolean;
  /** The days of point-in-time recovery of the tables, up to 35; 0 turns it off. */
  readonly pointInTimeRecoveryDays: number;
  /** What happens to the tables when the stack is deleted. */
  readonly removalPolicy: 'retain' | 'destroy';
  /** Whether new code receives a tenth of the traffic for five minutes before it receives all. */
  readonly gradualDeployment: boolean;
}

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

/** The name of an API Gateway stage and the suffix of its stack's name. */
export type StageName = keyof typeof stages;

export const stageNames = Object.keys(stages) as readonly StageName[];

/** Whether there is a stage of this name. */
export function isStageName(name: string | undefined): name is StageName {
  return name !== undefined && Object.hasOwn(stages, name);
}

export function stageSettings(stage: StageName): StageSettings {
  return stages[stage];
}

export const apiKeyPrefixes = stageNames.map((stage) => stages[stage].apiKeyPrefix);

/** The stage whose keys have the prefix of this one. */
export function stageOfKey(key: string): StageName | undefined {
  return stageNames.find((stage) => key.startsWith(stages[stage].apiKeyPrefix));
}
