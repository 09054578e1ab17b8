import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { sampleOrders } from '../sample-orders.ts';
import { startRun } from './running-service.ts';

const orderId = sampleOrders()[0]!.id!.N!;
const query = 'parseOrderId(event.pathParameters?.orderId)';

interface Pause {
  readonly thread: Session;
  readonly callFrameId: string;
}

describe('npm start -- --inspect', () => {
  it('stops at a breakpoint in a handler from the first request on, and ends even if it is stopped again', async () => {
    const run = startRun(['--json', '--port', '0', '--inspect=0']);
    try {
      const url = await debuggerUrl(run.child.stderr!);
      const paused = Promise.withResolvers<Pause>();
      const stoppedAgain = Promise.withResolvers<void>();
      const onPause = (pause: Pause) => {
        if (isFirst) paused.resolve(pause);
        else stoppedAgain.resolve();
        isFirst = false;
      };
      let isFirst = true;
      using _ = await attachDebugger(url, (thread) => breakAtLine(thread, onPause));
      const { baseUrl, keys } = JSON.parse(await run.started);
      const headers = { Authorization: `Bearer ${keys.free}` };

      const answer = fetch(`${baseUrl}/store/orders/${orderId}`, { method: 'DELETE', headers });
      const { thread, callFrameId } = await paused.promise;
      const { result } = await thread.call('Debugger.evaluateOnCallFrame', {
        callFrameId,
        expression: 'event.pathParameters.orderId',
      });
      await thread.call('Debugger.resume');

      expect(result.value).toBe(orderId);
      expect((await answer).status).toBe(204);
      const again = fetch(`${baseUrl}/store/orders/${orderId}`, { method: 'DELETE', headers });
      again.catch(() => {});
      await stoppedAgain.promise;
    } finally {
      run.child.kill('SIGTERM');
      // The exit code is not checked: Node can crash when a thread ends to which a debugger is attached.
      await run.exited;
    }
  });
});

/** Reads the address from the line that Node writes when it listens for a debugger. */
async function debuggerUrl(stderr: NodeJS.ReadableStream): Promise<string> {
  let written = '';
  const ended = once(stderr, 'end').then(() => Promise.reject(new Error(written)));
  // It also ends after the address has been found.
  ended.catch(() => {});
  while (!/ws:\S+\n/.test(written)) {
    const [chunk] = await Promise.race([once(stderr, 'data'), ended]);
    written += String(chunk);
  }
  return /ws:\S+/.exec(written)![0];
}

/** Finds the line before a script runs, as an editor does. */
async function breakAtLine(thread: Session, onPause: (pause: Pause) => void): Promise<void> {
  let prepared: Promise<unknown> = Promise.resolve();
  async function prepare(scriptId: string, url: string): Promise<void> {
    const { result } = await thread.call('Debugger.searchInContent', { scriptId, query });
    const [found] = result;
    if (found) await thread.call('Debugger.setBreakpointByUrl', { url, ...found });
  }
  thread.on('Debugger.scriptParsed', ({ scriptId, url, sourceMapURL }) => {
    if (sourceMapURL) prepared = prepare(scriptId, url);
  });
  thread.on('Debugger.paused', ({ callFrames: [frame], reason, hitBreakpoints }) => {
    // A thread also stops at its own first line, and before a script runs that has a source map.
    const isAtLine = reason !== 'instrumentation' && hitBreakpoints.length > 0;
    if (isAtLine) onPause({ thread, callFrameId: frame.callFrameId });
    else void prepared.then(() => thread.call('Debugger.resume'));
  });
  await thread.call('Debugger.enable');
  const instrumentation = 'beforeScriptWithSourceMapExecution';
  await thread.call('Debugger.setInstrumentationBreakpoint', { instrumentation });
}

/** One side of the inspector's protocol: of the process, or of one of its threads. It emits events by name. */
class Session extends EventEmitter {
  readonly #send: (text: string) => void;
  #lastId = 0;

  constructor(send: (text: string) => void) {
    super();
    this.#send = send;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's messages have hundreds of shapes
  async call(method: string, params: object = {}): Promise<any> {
    const id = ++this.#lastId;
    this.#send(JSON.stringify({ id, method, params }));
    const [result] = await once(this, `answer ${id}`);
    return result;
  }

  receive(text: string): void {
    const { id, method, params, result } = JSON.parse(text);
    if (id === undefined) this.emit(method, params);
    else this.emit(`answer ${id}`, result);
  }
}

/** A debugger of the process behind a URL and of each thread that it starts, as editors have one. */
async function attachDebugger(url: string, onThread: (thread: Session) => Promise<void>) {
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
