import type { FunctionVariable } from '../../../lambdas/contract/variables.ts';
import { keyPrefix } from '../dynamodb/key-items.ts';

/** The variables that Lambda and the stack give a function. Set them before the function is imported. */
export const functionEnvironment = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  STAGE: 'staging',
  API_KEYS_TABLE: 'api-keys',
  API_KEY_PREFIX: keyPrefix,
  PLANS: JSON.stringify({
    free: {
      perMinute: 60,
      perDay: 1_000,
      limitsPerOwner: false,
      toleratedRejectionsPerMinute: 180,
      banSeconds: 300,
    },
  }),
  ORDERS_TABLE: 'orders',
} satisfies Partial<Record<FunctionVariable | `AWS_${string}`, string>>;
