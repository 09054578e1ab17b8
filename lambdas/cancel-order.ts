import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from './contract/errors.ts';
import type { CancellationOutcome } from './contract/metric-definitions.ts';
import {
  type ApiResponse,
  apiHandler,
  asApiError,
  authorizerContext,
  logFields,
} from './http/api-handler.ts';
import { parseOrderId } from './orders/order-fields.ts';
import { cancelRefusal, type OrderStatus } from './orders/order-states.ts';
import { attemptsBefore, createDynamoDbClient } from './runtime/dynamodb.ts';
import { requiredVariable } from './runtime/environment.ts';
import { recordMetrics } from './runtime/metrics.ts';

/** The cancellation of an order by one invocation. */
interface Cancellation {
  /** The digits of an int64. */
  orderId: string;
  /** A new id for this invocation. API Gateway's `requestId` is not used, because a client can choose it. */
  cancelRequestId: string;
  /** The client's key. */
  keyId: string;
}

const ordersTable = requiredVariable('ORDERS_TABLE');
const dynamodb = DynamoDBDocumentClient.from(
  createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 2_000 }),
);

/** `DELETE /store/orders/{orderId}`: cancels a pending order and answers 204 without a body. */
export const handler = apiHandler(cancelOrder);

/** Cancels an order, and records the outcome. A malformed request has no outcome, because it names no order. */
async function cancelOrder(event: APIGatewayProxyEvent, signal: AbortSignal): Promise<ApiResponse> {
  if (authorizerContext(event).isReadOnly === 'true') throw new ApiError('insufficient_scope');
  const { keyId = '' } = logFields(event);
  const orderId = parseOrderId(event.pathParameters?.orderId);
  const cancellation = { orderId, cancelRequestId: randomUUID(), keyId };
  // The outcome is recorded when the client gets its 504, because Lambda may freeze the function before the write ends.
  signal.addEventListener('abort', () => recordOutcome('timeout', event, cancellation));
  let outcome: CancellationOutcome = 'cancelled';
  try {
    await cancelPendingOrder(cancellation, signal);
    return { statusCode: 204, headers: {}, body: '' };
  } catch (error) {
    const reported = asApiError(error);
    outcome = reported.code;
    throw reported;
  } finally {
    if (!signal.aborted) recordOutcome(outcome, event, cancellation);
  }
}

/**
 * Records an outcome: `cancelled` or the code of the error. The latency begins when API Gateway receives the
 * request, so it includes the authorizer and a cold start.
 */
function recordOutcome(
  outcome: CancellationOutcome,
  event: APIGatewayProxyEvent,
  cancellation: Cancellation,
): void {
  const { requestTimeEpoch, identity } = event.requestContext;
  // A wrong clock could make the latency negative, and CloudWatch has no percentiles of a metric with a negative value.
  const latencyMs = Math.max(0, Date.now() - requestTimeEpoch);
  const fields = { ...logFields(event), ...cancellation, sourceIp: identity?.sourceIp };
  recordMetrics({ CancellationLatency: latencyMs }, fields, { Outcome: outcome });
}

/**
 * Cancels the order with one conditional write. It does not read the order first, because another request could cancel
 * or ship the order between a read and a write. If several requests run at the same time, exactly one finds the order
 * pending. The condition of every other request fails, and the failure returns the current order.
 *
 * @throws ApiError if the order does not exist or is not pending
 */
async function cancelPendingOrder(cancellation: Cancellation, signal: AbortSignal): Promise<void> {
  const command = new UpdateCommand(conditionalCancel(cancellation));
  try {
    await dynamodb.send(command, { abortSignal: signal });
  } catch (error) {
    if (!wasCancelledBy(cancellation, error)) throw errorForClient(error);
  }
}

/** An order that is reopened keeps the three attributes that the update adds. */
function conditionalCancel({ orderId, cancelRequestId, keyId }: Cancellation): UpdateCommandInput {
  return {
    TableName: ordersTable,
    // A JavaScript number would lose digits of an int64 beyond 2^53.
    Key: { id: BigInt(orderId) },
    UpdateExpression:
      'SET #status = :cancelled, cancelledAt = :cancelledAt, cancelledBy = :cancelledBy, cancelRequestId = :cancelRequestId',
    // An order that does not exist has no status, so the condition is false. If this invocation has already cancelled
    // the order, and an operator has then reopened it, a repeated write does not cancel it again.
    ConditionExpression:
      '#status = :pending AND (attribute_not_exists(cancelRequestId) OR cancelRequestId <> :cancelRequestId)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': 'pending' satisfies OrderStatus,
      ':cancelled': 'cancelled' satisfies OrderStatus,
      ':cancelledAt': new Date().toISOString(),
      ':cancelledBy': keyId,
      ':cancelRequestId': cancelRequestId,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/**
 * Whether the write has failed because this invocation has already cancelled the order. This happens if the first
 * attempt succeeded, its response was lost, and the SDK repeated the write. The order in the error is in DynamoDB's own
 * JSON, because the document client converts only the results of successful calls.
 */
function wasCancelledBy({ cancelRequestId }: Cancellation, error: unknown): boolean {
  return (
    error instanceof ConditionalCheckFailedException &&
    error.Item?.cancelRequestId?.S === cancelRequestId
  );
}

/** The error that says why the order cannot be cancelled, or any other error of the write. */
function errorForClient(error: unknown): unknown {
  if (error instanceof ConditionalCheckFailedException) {
    const { Item: order } = error;
    if (!order) return new ApiError('order_not_found');
    return new ApiError(cancelRefusal(order.status?.S));
  }
  if (attemptsBefore(error) === 1) return error;
  // The response to an earlier attempt was lost, so that attempt may have cancelled the order. The client should ask
  // again.
  return new ApiError('service_unavailable', { cause: error });
}
