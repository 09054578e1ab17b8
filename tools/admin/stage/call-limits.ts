import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { proxyEnvironment } from '../../shared/proxy-environment.ts';
import { recordCall, UnconfirmedError } from './service-failure.ts';

/** The limits of a call to a service. */
export const defaultCallLimits = {
  connectionTimeoutMs: 3_000,
  /** The longest wait for the start of a response, and for each further part. */
  answerTimeoutMs: 5_000,
  /** The longest wait for a whole response. The largest response is a page of a Scan, with at most 1 MB. */
  wholeAnswerTimeoutMs: 10_000,
  maxAttempts: 4,
};

/** The settings of a client, except for the timeout of a whole response. Calls use the proxy of the environment. */
export function callLimitSettings(limits = defaultCallLimits) {
  return {
    maxAttempts: limits.maxAttempts,
    requestHandler: {
      connectionTimeout: limits.connectionTimeoutMs,
      requestTimeout: limits.answerTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: limits.answerTimeoutMs,
      httpsAgent: { proxyEnv: proxyEnvironment() },
    },
  };
}

/**
 * Adds two functions that the settings of a client do not offer. A time limit for a whole response also ends a response
 * that arrives byte by byte. A record of failed calls has the call for each error. A write is repeated only if AWS has
 * refused it, because somebody else may change the same item between a write and its repetition.
 */
export function withCallLimits<Client extends { readonly middlewareStack: object }>(
  client: Client,
  limits = defaultCallLimits,
): Client {
  // All clients of the SDK have these two properties.
  const { config, middlewareStack } = client as unknown as DynamoDBClient;
  const { requestHandler } = config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) =>
    handle(request, { ...options, abortSignal: AbortSignal.timeout(limits.wholeAnswerTimeoutMs) });
  middlewareStack.add(
    (next, { clientName, commandName = '' }) =>
      (input) =>
        next(input).catch((error: unknown) => {
          recordCall(error, `${serviceNamed(clientName)} ${commandName.replace(/Command$/, '')}`);
          throw error;
        }),
    { step: 'initialize' },
  );
  middlewareStack.add(
    (next, { commandName = '' }) =>
      (input) =>
        next(input).catch((error: unknown) => {
          const isSafe = isRead.test(commandName) || isRefusal(error);
          throw isSafe ? error : new UnconfirmedError(commandName, error);
        }),
    // Each attempt passes this step. The SDK does not repeat a call that fails with this error.
    { step: 'deserialize', priority: 'high' },
  );
  return client;
}

const isRead = /^(?:BatchGet|Describe|Get|List|Scan)/;

/** Whether AWS has responded that it has not carried out a call. After a timeout, this is unknown. */
function isRefusal(error: unknown): boolean {
  const { $metadata: { httpStatusCode: status = 0 } = {}, name } = Object(error);
  return status >= 400 && status < 500 && status !== 408 && !/Timeout/.test(name);
}

function serviceNamed(clientName = ''): string {
  const name = clientName.replace(/Client$/, '');
  return name === 'APIGateway' ? 'API Gateway' : name;
}
