import { functionSettings, operations } from '../../../lib/settings/functions.ts';

/** The longest time that a deployed function waits for an answer of DynamoDB. */
export const answerTimeoutMs = 3_000;

const authorizerTimeoutMs = functionSettings('authorizer').timeoutMs;

/** The time limits of requests by method: the authorizer's and the operation's together. */
export const timeoutsMs = {
  GET: authorizerTimeoutMs + operations.listOrders.timeoutMs,
  DELETE: authorizerTimeoutMs + operations.cancelOrder.timeoutMs,
};
