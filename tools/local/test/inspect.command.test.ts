import { EventEmitter, once } from 'node:events';
import { expect, it } from '@jest/globals';
import { startRun } from './running-service.ts';

const orderId = '1001';
const query = 'parseOrderId(event.pathParameters?.orderId)';

it('npm start -- --inspect stops at a breakpoint in a handler at the first request', async () => {
  const run = startRun(['--json', '--port', '0', '--inspect=0']);
  let said = '';
  run.child.stderr!.on('data', (chunk) => {
    said += chunk;
  });
  try {
    const { baseUrl, keys } = JSON.parse(await run.started);
    using session = await attachDebugger(/ws:\S+/.exec(said)![0]);
    await session.breakAt(query);
    const headers = { Authorization: `Bearer ${keys.free}` };

    const answer = fetch(`${baseUrl}/store/orders/${orderId}`, { method: 'DELETE', headers });
    const [{ callFrames }] = await once(session.events, 'Debugger.paused');
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

/** A debugger of the process behind a URL. It emits the protocol's events by name. */
async function attachDebugger(url: string) {
  const socket = new WebSocket(url);
  const events = new EventEmitter();
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result } = JSON.parse(String(data));
    events.emit(method ?? `answer ${id}`, params ?? result);
  });
  await once(socket, 'open');
  let lastId = 0;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's messages have hundreds of shapes
  const call = async (method: string, params: object = {}): Promise<any> => {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, method, params }));
    const [result] = await once(events, `answer ${id}`);
    return result;
  };
  // Only the functions' bundles have source maps, by which an editor finds its breakpoints.
  const bundles: { readonly scriptId: string; readonly url: string }[] = [];
  events.on('Debugger.scriptParsed', (script) => script.sourceMapURL && bundles.push(script));
  await call('Debugger.enable');
  return {
    events,
    call,
    /** Sets a breakpoint at the line of a bundle with a text. */
    async breakAt(query: string): Promise<void> {
      for (const { scriptId, url } of bundles) {
        const { result } = await call('Debugger.searchInContent', { scriptId, query });
        if (result[0]) await call('Debugger.setBreakpointByUrl', { url, ...result[0] });
      }
    },
    [Symbol.dispose]: () => socket.close(),
  };
}
