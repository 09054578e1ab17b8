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
import { cancellationOutcomes } from './domain/metric-definitions.ts';
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
}

/** Sets the status, and every cancellation field to the placeholder with its name. */
const updateExpression = [
  'SET #status = :cancelled',
  ...Object.keys(cancellationFields).map((name) => `${name} = :${name}`),
].join(', ');

/** What was cancelled, or could not be, by the event that asked for it. */
const cancellations = new WeakMap<APIGatewayProxyEvent, Cancellation>();

const ordersTable = requiredVariable('ORDERS_TABLE');
const dynamodb = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 2_000 });

/** `DELETE /store/orders/{orderId}`: cancels a pending order and answers 204 without a body. */
export const handler = apiHandler(cancelOrder)
  .after(({ event }) => recordOutcome('cancelled', event))
  .onError(({ error, event }) => recordOutcome(asApiError(error).code, event));

async function cancelOrder(event: APIGatewayProxyEvent, signal: AbortSignal): Promise<ApiResponse> {
  if (authorizerContext(event).isReadOnly === 'true') throw new InsufficientScopeError();
  const orderId = parseOrderId(event.pathParameters?.orderId);
  const cancellation = { orderId, cancelRequestId: randomUUID() };
  cancellations.set(event, cancellation);
  await cancelPendingOrder(cancellation, logFields(event).keyId ?? '', signal);
  return { statusCode: 204, headers: {}, body: '' };
}

/**
 * Records the outcome, except that of a malformed request, which names no order. The latency begins when API
 * Gateway receives the request, so it includes the authorizer and a cold start.
 */
function recordOutcome(code: string, event: APIGatewayProxyEvent): void {
  const Outcome = cancellationOutcomes.find((outcome) => outcome === code);
  if (!Outcome) return;
  // CloudWatch has no percentiles of a metric with a negative value, which a wrong clock could give.
  const CancellationLatency = Math.max(0, Date.now() - event.requestContext.requestTimeEpoch);
  const { sourceIp } = event.requestContext.identity ?? {};
  const fields = { ...logFields(event), ...cancellations.get(event), sourceIp };
  recordMetrics({ CancellationLatency }, fields, { Outcome });
}

/**
 * Cancels the order with one conditional write and no read before it, because between a read and a
 * write another request could cancel or ship the order. Of any number of concurrent requests exactly
 * one finds the order pending; the failed condition returns the current order to the others.
 *
 * @throws ApiError if the order does not exist or is not pending
 */
async function cancelPendingOrder(
  cancellation: Cancellation,
  keyId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const command = new UpdateItemCommand(conditionalCancel(cancellation, keyId));
    const { Attributes } = await dynamodb.send(command, { abortSignal: signal });
    if (isCancelledBy(cancellation, Attributes)) return;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return explainRefusal(error.Item, cancellation);
    }
    const { $metadata } = error as Partial<DynamoDBServiceException>;
    if (($metadata?.attempts ?? 1) === 1) throw error;
    // An earlier attempt, whose response was lost, may have cancelled the order.
    throw new ServiceUnavailableError({ cause: error });
  }
  // Such as the empty response with status 200 that a proxy sends. The order may be cancelled or not.
  throw new ServiceUnavailableError({ cause: new Error('The answer does not say what it wrote.') });
}

function conditionalCancel({ orderId, cancelRequestId }: Cancellation, keyId: string) {
  const set: Record<`:${CancellationFieldName}`, AttributeValue> = {
    ':cancelledAt': { S: new Date().toISOString() },
    ':cancelledBy': { S: keyId },
    ':cancelRequestId': { S: cancelRequestId },
  };
  return {
    TableName: ordersTable,
    Key: { id: { N: orderId } },
    UpdateExpression: updateExpression,
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

/** Throws the reason why the order cannot be cancelled, unless this invocation has cancelled it. */
function explainRefusal(order: Item | undefined, cancellation: Cancellation): void {
  if (!order) throw new OrderNotFoundError();
  // The SDK repeated the write because the response to the first attempt, which succeeded, was lost.
  if (isCancelledBy(cancellation, order)) return;
  throw new OrderNotCancellableError(cancelRefusal(order.status?.S));
}

function isCancelledBy({ cancelRequestId }: Cancellation, order: Item | undefined): boolean {
  return order?.cancelRequestId?.S === cancelRequestId;
}
