import { noteCall } from './service-failure.ts';

const connectionTimeoutMs = 3_000;
const answerTimeoutMs = 5_000;
/** For a whole answer: a page of a Scan is at most 1 MB. */
const wholeAnswerTimeoutMs = 10_000;
const maxAttempts = 4;

/** Settings that let no call of a client wait for ever: four attempts of at most ten seconds. */
export const boundedSettings = {
  maxAttempts,
  requestHandler: {
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: answerTimeoutMs,
    throwOnRequestTimeout: true,
    socketTimeout: answerTimeoutMs,
  },
};

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
export function bounded<T extends object>(client: T): T {
  const { config, middlewareStack } = client as unknown as Client;
  const { requestHandler } = config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) =>
    handle(request, { ...options, abortSignal: AbortSignal.timeout(wholeAnswerTimeoutMs) });
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
