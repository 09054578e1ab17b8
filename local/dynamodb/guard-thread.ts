import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { authorizationOfOperator, type GuardOptions } from './guard.ts';
import type { Identities } from './identities.ts';
import { answerHeaders } from './upstream.ts';

/** The first message to the thread. All later messages are identities that replace the current ones. */
export type GuardSettings = Omit<GuardOptions, 'log'>;

/** A message of the thread. */
export type GuardMessage =
  | { readonly type: 'listening'; readonly endpoint: string }
  | { readonly type: 'replaced' }
  | { readonly type: 'log'; readonly line: string };

/** The guard before DynamoDB, in its own thread. */
export interface GuardThread {
  /** Resolves when the thread ends unexpectedly. */
  readonly ended: Promise<Error>;
  /** Starts listening. Resolves with the guard's address. */
  listen(settings: GuardSettings): Promise<string>;
  /** Replaces the identities of a guard that listens. Resolves when the new ones apply. */
  replaceIdentities(identities: Identities): Promise<void>;
  /** Forwards a call as the operator's, whatever it is signed with. */
  forwardForOperator(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the guard's thread. It is separate because every DynamoDB call of a function passes the
 * guard, and would otherwise wait while the main thread starts environments or copies streams.
 *
 * @param log takes a line for each call that is denied
 */
export function startGuardThread(log: (line: string) => void): GuardThread {
  const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), { execArgv: [] });
  const listening = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<Error>();
  const replacing: (() => void)[] = [];
  let isClosing = false;
  let endpoint: string;
  let authorization: string;
  worker.on('message', (message: GuardMessage) => {
    if (message.type === 'listening') listening.resolve(message.endpoint);
    else if (message.type === 'replaced') replacing.shift()!();
    else log(message.line);
  });
  worker.on('error', (error) => end(error as Error));
  worker.on('exit', () => end(new Error('The guard before DynamoDB has ended unexpectedly.')));

  function end(error: Error): void {
    listening.reject(error);
    if (!isClosing) ended.resolve(error);
  }
  // If the thread ends before `listen` is called, the rejection is not unhandled.
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
      await worker.terminate();
    },
  };
}
