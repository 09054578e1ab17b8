import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBServiceException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  InsufficientScopeError,
  OrderNotCancellableError,
  OrderNotFoundError,
  ServiceUnavailableError,
} from './domain/errors.ts';
import type { Item } from './domain/item.ts';
import type { CancellationOutcome } from './domain/metric-definitions.ts';
import {
  type CancellationFieldName,
  cancellationFields,
  parseOrderId,
} from './domain/order-fields.ts';
import { cancelRefusal, type OrderStatus } from './domain/order-states.ts';
import {
  type ApiResponse,
  apiHandler,
  asApiError,
  authorizerContext,
  logFields,
} from './runtime/api-handler.ts';
import { createDynamoDbClient } from './runtime/dynamodb.ts';
import { requiredVariable } from './runtime/environment.ts';
import { recordMetrics } from './runtime/metrics.ts';

/** What an invocation cancels. */
interface Cancellation {
  /** The digits of an int64. */
  orderId: string;
  /** Made for this invocation, because a client can choose its `requestId` and so reuse another's. */
  cancelRequestId: string;
  /** The client's key. */
  keyId: string;
}

const ordersTable = requiredVariable('ORDERS_TABLE');
const dynamodb = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 2_000 });

/** `DELETE /store/orders/{orderId}`: cancels a pending order and answers 204 without a body. */
export const handler = apiHandler(cancelOrder);

/** Records how the cancellation ends, except that of a malformed request, which names no order. */
async function cancelOrder(event: APIGatewayProxyEvent, signal: AbortSignal): Promise<ApiResponse> {
  if (authorizerContext(event).isReadOnly === 'true') throw new InsufficientScopeError();
  const { keyId = '' } = logFields(event);
  const orderId = parseOrderId(event.pathParameters?.orderId);
  const cancellation = { orderId, cancelRequestId: randomUUID(), keyId };
  // When the client gets its 504, the write is still under way, and Lambda may freeze it.
  signal.addEventListener('abort', () => recordOutcome('timeout', event, cancellation));
  let outcome = 'cancelled';
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
  outcome: string,
  event: APIGatewayProxyEvent,
  cancellation: Cancellation,
): void {
  const { requestTimeEpoch, identity } = event.requestContext;
  // CloudWatch has no percentiles of a metric with a negative value, which a wrong clock could give.
  const latencyMs = Math.max(0, Date.now() - requestTimeEpoch);
  const fields = { ...logFields(event), ...cancellation, sourceIp: identity?.sourceIp };
  const dimension = { Outcome: outcome as CancellationOutcome };
  recordMetrics({ CancellationLatency: latencyMs }, fields, dimension);
}

/**
 * Cancels the order with one conditional write and no read before it, because between a read and a
 * write another request could cancel or ship the order. Of any number of concurrent requests exactly
 * one finds the order pending; the failed condition returns the current order to the others.
 *
 * @throws ApiError if the order does not exist or is not pending
 */
async function cancelPendingOrder(cancellation: Cancellation, signal: AbortSignal): Promise<void> {
  const command = new UpdateItemCommand(conditionalCancel(cancellation));
  const { Attributes: order } = await dynamodb
    .send(command, { abortSignal: signal })
    .catch((error: unknown) => ({ Attributes: orderOfFailure(error, cancellation) }));
  if (!isCancelledBy(cancellation, order)) {
    // Such as the empty response with status 200 that a proxy sends. The order may be cancelled or not.
    const cause = new Error('The answer does not say what it wrote.');
    throw new ServiceUnavailableError({ cause });
  }
}

function conditionalCancel({ orderId, cancelRequestId, keyId }: Cancellation) {
  const set: Record<`:${CancellationFieldName}`, AttributeValue> = {
    ':cancelledAt': { S: new Date().toISOString() },
    ':cancelledBy': { S: keyId },
    ':cancelRequestId': { S: cancelRequestId },
  };
  return {
    TableName: ordersTable,
    Key: { id: { N: orderId } },
    // Sets every cancellation field to the placeholder with its name.
    UpdateExpression: [
      'SET #status = :cancelled',
      ...Object.keys(cancellationFields).map((name) => `${name} = :${name}`),
    ].join(', '),
    // An order that does not exist has no status, so the condition is false for it. One that this
    // invocation has cancelled already, and an operator has reopened since, is not cancelled again.
    ConditionExpression:
      '#status = :pending AND (attribute_not_exists(cancelRequestId) OR cancelRequestId <> :cancelRequestId)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':pending': { S: 'pending' satisfies OrderStatus },
      ':cancelled': { S: 'cancelled' satisfies OrderStatus },
      ...set,
    },
    ReturnValues: 'UPDATED_NEW' as const,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/**
 * Returns the order if the write has failed because this invocation has cancelled it already: the SDK has
 * repeated the write, because the response to the first attempt, which succeeded, was lost.
 *
 * @throws ApiError why the order cannot be cancelled; any other error of the write
 */
function orderOfFailure(error: unknown, cancellation: Cancellation): Item {
  if (error instanceof ConditionalCheckFailedException) {
    const order = error.Item;
    if (!order) throw new OrderNotFoundError();
    if (isCancelledBy(cancellation, order)) return order;
    throw new OrderNotCancellableError(cancelRefusal(order.status?.S));
  }
  const { $metadata } = error as Partial<DynamoDBServiceException>;
  if (($metadata?.attempts ?? 1) === 1) throw error;
  // An earlier attempt, whose response was lost, may have cancelled the order.
  throw new ServiceUnavailableError({ cause: error });
}

function isCancelledBy({ cancelRequestId }: Cancellation, order: Item | undefined): boolean {
  return order?.cancelRequestId?.S === cancelRequestId;
}
