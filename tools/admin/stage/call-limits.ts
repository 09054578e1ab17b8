import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { proxyEnvironment } from '../../shared/proxy-environment.ts';
import { recordCall, UnconfirmedError } from './service-failure.ts';

/** The limits of a call to a service. */
export const defaultCallLimits = {
  connectionTimeoutMs: 3_000,
  /** The time until a response starts, and between two parts of it. */
  answerTimeoutMs: 5_000,
  /** The time for a whole response. The largest is a page of a Scan, at most 1 MB. */
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
 * Adds what client settings do not offer: a time limit for a whole response, which also ends one that arrives byte by
 * byte, and a record of the call that failed with an error. A write is sent once unless AWS has refused it, because
 * somebody else may have changed the same item before a repeated one.
 */
export function withCallLimits<Client extends { readonly middlewareStack: object }>(
  client: Client,
  limits = defaultCallLimits,
): Client {
  // These parts are the same in all clients of the SDK.
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

/** Whether AWS has responded that it has not carried out a call. A timeout says nothing about it. */
function isRefusal(error: unknown): boolean {
  const { $metadata: { httpStatusCode: status = 0 } = {}, name } = Object(error);
  return status >= 400 && status < 500 && status !== 408 && !/Timeout/.test(name);
}

function serviceNamed(clientName = ''): string {
  const name = clientName.replace(/Client$/, '');
  return name === 'APIGateway' ? 'API Gateway' : name;
}
