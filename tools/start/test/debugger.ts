import { EventEmitter, once } from 'node:events';

/** One side of the inspector's protocol: of the process, or of one of its threads. It emits events by name. */
export class Session extends EventEmitter {
  readonly #send: (text: string) => void;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's messages have hundreds of shapes
  readonly #answers = new Map<number, (result: any) => void>();
  #lastId = 0;

  constructor(send: (text: string) => void) {
    super();
    this.#send = send;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's messages have hundreds of shapes
  call(method: string, params: object = {}): Promise<any> {
    const id = ++this.#lastId;
    this.#send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  receive(text: string): void {
    const { id, method, params, result } = JSON.parse(text);
    if (id === undefined) this.emit(method, params);
    else this.#answers.get(id)?.(result);
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
