/** Everything that differs between the deployments, in the one typed file that holds it. */

export type StageName = 'staging' | 'prod';

export interface StageConfiguration {
  /** Name of the API Gateway stage, and suffix of the stack's name. */
  readonly stage: StageName;
  /** What this stage's API keys start with; the other stage's keys are refused unread. */
  readonly apiKeyPrefix: 'so_live_' | 'so_test_';
  /** Account to deploy to. @default - the account of the credentials that deploy */
  readonly account?: string;
  /** Region to deploy to. @default - the Region of the profile that deploys */
  readonly region?: string;
  /** How long logs are kept. */
  readonly logRetentionDays: number;
  /** What the whole stage accepts, whoever asks: API Gateway's own throttle. */
  readonly throttle: { readonly requestsPerSecond: number; readonly burst: number };
  /** Whether tables refuse to be deleted, by hand or by CloudFormation. */
  readonly deletionProtection: boolean;
  /** Days that tables can be restored to any second of; 0 turns it off. */
  readonly pointInTimeRecoveryDays: number;
  /** What happens to tables when the stack is deleted. */
  readonly removalPolicy: 'retain' | 'destroy';
}

export const stageNames: readonly StageName[] = ['staging', 'prod'];

const stages: Readonly<Record<StageName, StageConfiguration>> = {
  staging: {
    stage: 'staging',
    apiKeyPrefix: 'so_test_',
    logRetentionDays: 14,
    throttle: { requestsPerSecond: 2_000, burst: 4_000 },
    deletionProtection: false,
    pointInTimeRecoveryDays: 0,
    removalPolicy: 'destroy',
  },
  prod: {
    stage: 'prod',
    apiKeyPrefix: 'so_live_',
    logRetentionDays: 90,
    throttle: { requestsPerSecond: 10_000, burst: 5_000 },
    deletionProtection: true,
    pointInTimeRecoveryDays: 35,
    removalPolicy: 'retain',
  },
};

/** The configuration of one stage. */
export function stageConfiguration(stage: StageName): StageConfiguration {
  return stages[stage];
}
