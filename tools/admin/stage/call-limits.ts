import type { DynamoDBClient, PutItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { unlessInterrupted } from './interruption.ts';
import { failedCall, isRefusedForAnother } from './service-failure.ts';

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
 * Changes the calls of a client in three ways. The error of a failed call names the call. A call that AWS has refused
 * because of other calls is repeated. The operator can interrupt a call.
 *
 * The SDK also repeats a write whose response is lost. So every write must be safe to repeat: a transaction has the
 * SDK's client token, and any other write is refused or has no effect the second time.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html for the token
 */
export function withCallLimits<Client extends { readonly middlewareStack: object }>(
  client: Client,
  interruption?: AbortSignal,
): Client {
  const { middlewareStack } = client as unknown as DynamoDBClient;
  middlewareStack.add(
    (next, context) => (input) =>
      unlessInterrupted(() => next(input), interruption).catch((error: unknown) => {
        throw failedCall(error, callOf(context));
      }),
    { step: 'initialize' },
  );
  middlewareStack.add(
    (next) => async (parameters) => {
      try {
        const result = await next(parameters);
        refuseUnproven(parameters.input, result.output);
        return result;
      } catch (error) {
        throw isRefusedForAnother(error) ? Object.assign(error, repeatable) : error;
      }
    },
    // Each attempt passes this step.
    { step: 'deserialize', priority: 'high' },
  );
  return client;
}

/**
 * @throws Error if a response lacks the proof that the call asked for, for example because a broken proxy has sent it
 */
function refuseUnproven(input: object, output: object = {}): void {
  const { ConsumedCapacity } = output as PutItemCommandOutput;
  if (!('ReturnConsumedCapacity' in input) || ConsumedCapacity) return;
  throw new Error('the response is not that of DynamoDB');
}

/** Lets the SDK repeat a call like a throttled call. */
const repeatable = { $retryable: { throttling: true } };

/** The name of a call in messages, such as `DynamoDB Scan`. */
function callOf({ clientName = '', commandName = '' }: Partial<Record<string, string>>): string {
  const service = clientName.replace(/Client$/, '').replace('APIGateway', 'API Gateway');
  return `${service} ${commandName.replace(/Command$/, '')}`;
}
