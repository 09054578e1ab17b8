import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { authorizationOfOperator, type GuardOptions } from './guard.ts';
import type { Identities } from './identities.ts';
import { answerHeaders } from './upstream.ts';

/** What the thread is told first; from then on, other identities. */
export type GuardSettings = Omit<GuardOptions, 'log'>;

/** What the thread tells. */
export type GuardMessage =
  | { readonly type: 'listening'; readonly endpoint: string }
  | { readonly type: 'replaced' }
  | { readonly type: 'log'; readonly line: string };

/** The guard before DynamoDB, in a thread of its own. */
export interface GuardThread {
  /** Settles when the thread ends without having been asked to. */
  readonly ended: Promise<Error>;
  /** Gives the address of the guard. */
  listen(settings: GuardSettings): Promise<string>;
  /** Waits until the guard, which listens already, goes by other identities. */
  replaceIdentities(identities: Identities): Promise<void>;
  /** Hands on a call whose sender is known to be the operator, whatever it is signed with. */
  forwardForOperator(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the guard's thread. Every call of every function passes the guard, and must not wait while
 * the run's own thread starts execution environments or copies streams.
 *
 * @param log takes a line for each call that is denied
 */
export function startGuardThread(log: (line: string) => void): GuardThread {
  const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), { execArgv: [] });
  const agent = new Agent({ keepAlive: true });
  const listening = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<Error>();
  const replacing: (() => void)[] = [];
  let isClosing = false;
  let endpoint = '';
  let authorization = '';
  worker.on('message', (message: GuardMessage) => {
    if (message.type === 'listening') listening.resolve(message.endpoint);
    else if (message.type === 'replaced') replacing.shift()?.();
    else log(message.line);
  });
  worker.on('error', (error) => end(error as Error));
  worker.on('exit', () => end(new Error('The guard before DynamoDB has ended.')));

  function end(error: Error): void {
    listening.reject(error);
    if (!isClosing) ended.resolve(error);
  }
  // Nobody may have asked to listen when the thread ends.
  listening.promise.catch(() => {});

  return {
    ended: ended.promise,
    listen: async (settings) => {
      authorization = authorizationOfOperator(settings.identities);
      worker.postMessage(settings);
      endpoint = await listening.promise;
      return endpoint;
    },
    replaceIdentities: (identities) =>
      new Promise((resolve) => {
        replacing.push(resolve);
        worker.postMessage(identities);
      }),
    forwardForOperator: async (incoming, outgoing) => {
      const { host: _, connection: __, ...headers } = incoming.headers;
      const call = request(endpoint, {
        agent,
        method: 'POST',
        headers: { ...headers, authorization },
      });
      const answered = Promise.withResolvers<IncomingMessage>();
      call.on('response', answered.resolve).on('error', answered.reject);
      incoming.pipe(call);
      outgoing.once('close', () => call.destroy());
      const response = await answered.promise;
      outgoing.writeHead(response.statusCode ?? 502, answerHeaders(response));
      await pipeline(response, outgoing);
    },
    close: async () => {
      isClosing = true;
      agent.destroy();
      await worker.terminate();
    },
  };
}
