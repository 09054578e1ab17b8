import { once } from 'node:events';

interface Message {
  readonly id?: number;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's messages have hundreds of shapes
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's messages have hundreds of shapes
  readonly result?: any;
}

/** One side of the inspector's protocol: of the process, or of one of its threads. */
class Session {
  readonly #send: (text: string) => void;
  readonly #answers = new Map<number, (result: Message['result']) => void>();
  readonly #listeners = new Map<string, ((params: Message['params']) => void)[]>();
  #lastId = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  call(method: string, params: object = {}): Promise<Message['result']> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Message['result']>();
    this.#answers.set(id, resolve);
    this.#send(JSON.stringify({ id, method, params }));
    return promise;
  }

  on(method: string, listener: (params: Message['params']) => void): void {
    this.#listeners.set(method, [...(this.#listeners.get(method) ?? []), listener]);
  }

  receive(text: string): void {
    const { id, method = '', params, result }: Message = JSON.parse(text);
    if (id !== undefined) this.#answers.get(id)?.(result);
    for (const listener of this.#listeners.get(method) ?? []) listener(params);
  }
}

/** A debugger of the process behind a URL and of each thread that it starts, as editors have one. */
export async function attachDebugger(url: string, onThread: (thread: Session) => Promise<void>) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const session = new Session((text) => socket.send(text));
  socket.addEventListener('message', ({ data }) => session.receive(String(data)));
  const threads = new Map<string, Session>();
  session.on('NodeWorker.attachedToWorker', async ({ sessionId }) => {
    const thread = new Session((message) => {
      void session.call('NodeWorker.sendMessageToWorker', { sessionId, message });
    });
    threads.set(sessionId, thread);
    await onThread(thread);
    await thread.call('Runtime.runIfWaitingForDebugger');
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ sessionId, message }) => {
    threads.get(sessionId)?.receive(message);
  });
  await session.call('NodeWorker.enable', { waitForDebuggerOnStart: true });
  return { [Symbol.dispose]: () => socket.close() };
}

export type { Session };
