import { noteCall } from './service-failure.ts';

/** How long a call may take. */
export interface CallLimits {
  readonly connectionTimeoutMs: number;
  /** Until an answer begins, and between two parts of it. */
  readonly answerTimeoutMs: number;
  /** For a whole answer, also one that comes byte by byte: a page of a Scan is at most 1 MB. */
  readonly wholeAnswerTimeoutMs: number;
  readonly maxAttempts: number;
}

export const usualLimits: CallLimits = {
  connectionTimeoutMs: 3_000,
  answerTimeoutMs: 5_000,
  wholeAnswerTimeoutMs: 10_000,
  maxAttempts: 4,
};

/** Settings of a client whose calls do not wait for ever; `bounded` does what they cannot. */
export function boundedSettings(limits: CallLimits = usualLimits) {
  return {
    maxAttempts: limits.maxAttempts,
    requestHandler: {
      connectionTimeout: limits.connectionTimeoutMs,
      requestTimeout: limits.answerTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: limits.answerTimeoutMs,
    },
  };
}

interface Handler {
  handle(request: never, options?: object): Promise<unknown>;
}

interface Client {
  readonly config: { readonly requestHandler: Handler };
  readonly middlewareStack: { add(middleware: never, options: { step: 'initialize' }): void };
}

interface Context {
  readonly clientName?: string;
  readonly commandName?: string;
}

type Next = (input: unknown) => Promise<unknown>;

/**
 * Bounds what the settings cannot, an answer that arrives byte by byte, and remembers of each error
 * which call it belongs to.
 */
export function bounded<T extends object>(client: T, limits: CallLimits = usualLimits): T {
  const { config, middlewareStack } = client as unknown as Client;
  const { requestHandler } = config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) =>
    handle(request, { ...options, abortSignal: AbortSignal.timeout(limits.wholeAnswerTimeoutMs) });
  const naming = (next: Next, context: Context) => (input: unknown) =>
    next(input).catch((error: unknown) => {
      noteCall(error, {
        service: serviceNamed(context.clientName),
        operation: context.commandName?.replace(/Command$/, '') ?? '',
      });
      throw error;
    });
  middlewareStack.add(naming as never, { step: 'initialize' });
  return client;
}

function serviceNamed(clientName = ''): string {
  const name = clientName.replace(/Client$/, '');
  return name === 'APIGateway' ? 'API Gateway' : name;
}
