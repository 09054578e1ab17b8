import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { sampleLines } from '../demo-orders.ts';
import { startRun } from './running-service.ts';

const orderId = sampleLines()[0]!.order.id!.N!;
const query = 'parseOrderId(event.pathParameters?.orderId)';

describe('npm start -- --inspect', () => {
  it('stops at a breakpoint in a handler at the first request', async () => {
    const run = startRun(['--json', '--port', '0', '--inspect=0']);
    try {
      using session = await attachDebugger(await debuggerUrl(run.child.stderr!));
      const { baseUrl, keys } = JSON.parse(await run.started);
      await session.breakAt(query);
      const headers = { Authorization: `Bearer ${keys.free}` };

      const answer = fetch(`${baseUrl}/store/orders/${orderId}`, { method: 'DELETE', headers });
      const [{ callFrames }] = await once(session, 'Debugger.paused');
      const { result } = await session.call('Debugger.evaluateOnCallFrame', {
        callFrameId: callFrames[0].callFrameId,
        expression: 'event.pathParameters.orderId',
      });
      await session.call('Debugger.resume');

      expect(result.value).toBe(orderId);
      expect((await answer).status).toBe(204);
      run.child.kill('SIGTERM');
      expect(await run.exited).toEqual([0, null]);
    } finally {
      run.child.kill('SIGKILL');
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

/** A debugger of the process behind a URL. It emits the protocol's events by name. */
class Session extends EventEmitter {
  readonly #socket: WebSocket;
  readonly #bundles: { readonly scriptId: string; readonly url: string }[] = [];
  #lastId = 0;

  constructor(socket: WebSocket) {
    super();
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, method, params, result } = JSON.parse(String(data));
      if (id === undefined) this.emit(method, params);
      else this.emit(`answer ${id}`, result);
    });
    // Only the functions' bundles have source maps, by which an editor finds its breakpoints.
    this.on('Debugger.scriptParsed', (script) => {
      if (script.sourceMapURL) this.#bundles.push(script);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's messages have hundreds of shapes
  async call(method: string, params: object = {}): Promise<any> {
    const id = ++this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    const [result] = await once(this, `answer ${id}`);
    return result;
  }

  /** Sets a breakpoint at the line of a bundle with a text. */
  async breakAt(query: string): Promise<void> {
    for (const { scriptId, url } of this.#bundles) {
      const { result } = await this.call('Debugger.searchInContent', { scriptId, query });
      const [found] = result;
      if (found) await this.call('Debugger.setBreakpointByUrl', { url, ...found });
    }
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

async function attachDebugger(url: string): Promise<Session> {
  const socket = new WebSocket(url);
  const session = new Session(socket);
  await once(socket, 'open');
  await session.call('Debugger.enable');
  return session;
}
