import { integrationTimeouts } from '../../../lib/api/orders-api.ts';

/** The longest that a function waits for an answer of DynamoDB, as it is deployed. */
export const patienceMs = 3_000;

/** Of the authorizer, in `lib/store-orders-stack.ts`. */
const authorizerTimeoutMs = 5_000;

/** How long a request may take, by its method: its authorizer, and then its operation. */
export const timeoutsMs = {
  GET: authorizerTimeoutMs + integrationTimeouts.listOrders.toMilliseconds(),
  DELETE: authorizerTimeoutMs + integrationTimeouts.cancelOrder.toMilliseconds(),
};
