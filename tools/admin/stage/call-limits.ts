import type {
  DynamoDBClient,
  PutItemCommandInput,
  PutItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { InterruptedError } from '../../shared/errors.ts';
import { unlessInterrupted } from './interruption.ts';
import { FailedCallError, failedCall, isRefusedForAnother } from './service-failure.ts';

/** The limits of a call to a service. */
const defaultCallLimits = {
  connectionTimeoutMs: 3_000,
  /** The longest wait for the start of a response, and for each further part. */
  answerTimeoutMs: 5_000,
  maxAttempts: 4,
};

/**
 * The attempts of a client that waits until AWS has done the changes of other commands. All pauses together take half a
 * minute.
 */
export const patientAttempts = 8;

/** The settings of a client. Calls use the proxy of the environment. */
export function callLimitSettings(limits = defaultCallLimits) {
  return {
    maxAttempts: limits.maxAttempts,
    requestHandler: {
      connectionTimeout: limits.connectionTimeoutMs,
      requestTimeout: limits.answerTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: limits.answerTimeoutMs,
      httpsAgent: { proxyEnv: process.env },
    },
  };
}

/**
 * Changes the calls of a client in three ways. The error of a failed call names the call. A write is repeated only if
 * it creates an item, or if AWS has refused it because of other calls. Otherwise, somebody else could change the same
 * item between a write and its repetition. The operator can interrupt a call.
 */
export function withCallLimits<Client extends { readonly middlewareStack: object }>(
  client: Client,
  interruption?: AbortSignal,
): Client {
  const { middlewareStack } = client as unknown as DynamoDBClient;
  middlewareStack.add(
    (next, context) => (input) => {
      const isBegun = !interruption?.aborted;
      return unlessInterrupted(() => next(input), interruption).catch((error: unknown) => {
        const isUnknown =
          error instanceof InterruptedError && isBegun && !isRead.test(context.commandName ?? '');
        throw isUnknown
          ? new FailedCallError('unconfirmed', callOf(context), error)
          : failedCall(error, callOf(context));
      });
    },
    { step: 'initialize' },
  );
  middlewareStack.add(
    (next, context) => async (parameters) => {
      const { input } = parameters as { input: Partial<PutItemCommandInput> };
      try {
        const result = await next(parameters);
        refuseUnproven(input, result.output);
        return result;
      } catch (error) {
        const isSafe =
          isRead.test(context.commandName ?? '') || isRefusal(error) || isCreation(input);
        if (!isSafe) throw new FailedCallError('unconfirmed', callOf(context), error);
        throw isRefusedForAnother(error) ? Object.assign(error, repeatable) : error;
      }
    },
    // Each attempt passes this step. The SDK does not repeat a call that fails with a FailedCallError.
    { step: 'deserialize', priority: 'high' },
  );
  return client;
}

/**
 * @throws Error if a response lacks the proof that the call asked for, for example because a broken proxy has sent it
 */
function refuseUnproven(input: Partial<PutItemCommandInput>, output: object = {}): void {
  const { ConsumedCapacity }: PutItemCommandOutput = output as PutItemCommandOutput;
  if (!input.ReturnConsumedCapacity || ConsumedCapacity) return;
  throw new Error('the response is not that of DynamoDB');
}

/**
 * Whether the call only creates an item. The condition of such a call prevents a repetition from overwriting a later
 * change.
 */
function isCreation({ ConditionExpression }: Partial<PutItemCommandInput>): boolean {
  return ConditionExpression === 'attribute_not_exists(id)';
}

const isRead = /^(?:BatchGet|Describe|Get|List|Scan)/;

/** Whether AWS has responded that it has not carried out a call. After a timeout, this is unknown. */
function isRefusal(error: unknown): boolean {
  const { $metadata: { httpStatusCode: status = 0 } = {}, name } = Object(error);
  return status >= 400 && status < 500 && status !== 408 && !/Timeout/.test(name);
}

/** Lets the SDK repeat a call like a throttled call. */
const repeatable = { $retryable: { throttling: true } };

/** The name of a call in messages, such as `DynamoDB Scan`. */
function callOf({ clientName = '', commandName = '' }: Partial<Record<string, string>>): string {
  const service = clientName.replace(/Client$/, '').replace('APIGateway', 'API Gateway');
  return `${service} ${commandName.replace(/Command$/, '')}`;
}
