import type { Account } from './account.ts';
import type { Deployment } from './deployment.ts';
import { type Handler, type HttpServerOptions, startHttpServer } from './http-server.ts';
import { answerManagement } from './management/management.ts';

interface ServeOptions extends Partial<Pick<HttpServerOptions, 'host' | 'port' | 'onAnswered'>> {
  /** Handlers that can answer instead of the gateway. */
  readonly handlers?: readonly Handler[];
}

/** Listens for requests of clients, which a deployment answers, and for calls of an operator. */
export async function serve(first: Deployment, account: Account, options: ServeOptions = {}) {
  const { host = '127.0.0.1', port = 0, onAnswered, handlers = [] } = options;
  let current = first;
  const server = await startHttpServer({
    ...{ host, port, onAnswered, now: account.now },
    answer: (request) => current.gateway.answer(request),
    handlers: [
      (incoming, outgoing) => answerManagement(incoming, outgoing, { ...account, ...current }),
      ...handlers,
    ],
  });
  return {
    /** The URL without a path, such as `http://127.0.0.1:3000`. */
    origin: server.origin,
    /** Has another deployment answer, from the next request on. */
    replace: (next: Deployment) => {
      current = next;
    },
    close: server.close,
  };
}
