import { authorizerTimeout, integrationTimeouts } from '../../../lib/api/orders-api.ts';

/** The longest time that a deployed function waits for an answer of DynamoDB. */
export const answerTimeoutMs = 3_000;

/** The time limits of requests by method: the authorizer's and the operation's together. */
export const timeoutsMs = {
  GET: authorizerTimeout.toMilliseconds() + integrationTimeouts.listOrders.toMilliseconds(),
  DELETE: authorizerTimeout.toMilliseconds() + integrationTimeouts.cancelOrder.toMilliseconds(),
};
