import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { sampleOrders } from '../sample-orders.ts';
import { attachDebugger, type Session } from './debugger.ts';
import { root, startRun } from './running-service.ts';

const orderId = sampleOrders()[0]!.id!.N!;
const source = 'lambdas/cancel-order.ts';
const text = 'parseOrderId(event.pathParameters?.orderId)';
const line = readFileSync(join(root, source), 'utf8')
  .split('\n')
  .findIndex((each) => each.includes(text));

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

/** Finds the line in the scripts' source maps before a script runs, as an editor does. */
async function breakAtLine(thread: Session, onPause: (pause: Pause) => void): Promise<void> {
  thread.on('Debugger.scriptParsed', ({ url, sourceMapURL }) => {
    if (!sourceMapURL) return;
    const lineNumber = generatedLine(fileURLToPath(url), sourceMapURL);
    if (lineNumber !== -1) void thread.call('Debugger.setBreakpointByUrl', { url, lineNumber });
  });
  thread.on('Debugger.paused', ({ callFrames: [frame], reason, hitBreakpoints }) => {
    // A thread also stops at its own first line, and before a script runs that has a source map.
    const isAtLine = reason !== 'instrumentation' && hitBreakpoints.length > 0;
    if (isAtLine) onPause({ thread, callFrameId: frame.callFrameId });
    else void thread.call('Debugger.resume');
  });
  await thread.call('Debugger.enable');
  const instrumentation = 'beforeScriptWithSourceMapExecution';
  await thread.call('Debugger.setInstrumentationBreakpoint', { instrumentation });
}

function generatedLine(file: string, dataUrl: string): number {
  const [, base64 = ''] = dataUrl.split(',');
  const map = new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()));
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.findIndex((each, lineNumber) => {
    if (!each.includes('parseOrderId')) return false;
    const entry = map.findEntry(lineNumber, each.search(/\S/));
    if (!('originalLine' in entry) || entry.originalLine !== line) return false;
    return resolve(file, '..', entry.originalSource) === join(root, source);
  });
}
