import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { sampleOrders } from '../sample-orders.ts';
import { attachDebugger, type Session } from './debugger.ts';
import { root, startRun } from './running-service.ts';

const orderId = String(sampleOrders()[0]!.id);
const source = 'lambdas/cancel-order.ts';
const text = 'orderId: parseOrderId(event.pathParameters?.orderId),';
const line = readFileSync(join(root, source), 'utf8')
  .split('\n')
  .findIndex((each) => each.includes(text));

interface Script {
  readonly url: string;
  readonly map: SourceMap;
}

interface Pause {
  readonly thread: Session;
  readonly script: Script;
  readonly params: {
    readonly callFrames: readonly {
      readonly callFrameId: string;
      readonly location: {
        readonly scriptId: string;
        readonly lineNumber: number;
        readonly columnNumber: number;
      };
    }[];
  };
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
      const { thread, script, params } = await paused.promise;
      const [frame] = params.callFrames;
      const place = originalPlace(script, frame!.location);
      const { result } = await thread.call('Debugger.evaluateOnCallFrame', {
        callFrameId: frame!.callFrameId,
        expression: 'event.pathParameters.orderId',
      });
      await thread.call('Debugger.resume');

      expect(place).toEqual({ file: join(root, source), line });
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
  const scripts = new Map<string, Script>();
  thread.on('Debugger.scriptParsed', ({ scriptId, url, sourceMapURL }) => {
    if (!sourceMapURL) return;
    const script = { url, map: readMap(sourceMapURL) };
    scripts.set(scriptId, script);
    const lineNumber = generatedLine(script);
    if (lineNumber !== -1) void thread.call('Debugger.setBreakpointByUrl', { url, lineNumber });
  });
  thread.on('Debugger.paused', (params) => {
    // A thread also stops at its own first line, and before a script runs that has a source map.
    const script = scripts.get(params.callFrames[0]!.location.scriptId);
    if (script && params.hitBreakpoints.length > 0) onPause({ thread, script, params });
    else void thread.call('Debugger.resume');
  });
  await thread.call('Debugger.enable');
  const instrumentation = 'beforeScriptWithSourceMapExecution';
  await thread.call('Debugger.setInstrumentationBreakpoint', { instrumentation });
}

function readMap(dataUrl: string): SourceMap {
  const [, base64 = ''] = dataUrl.split(',');
  return new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()));
}

function generatedLine(script: Script): number {
  const lines = readFileSync(fileURLToPath(script.url), 'utf8').split('\n');
  return lines.findIndex((each, lineNumber) => {
    if (!each.includes('parseOrderId')) return false;
    const place = originalPlace(script, { lineNumber, columnNumber: each.search(/\S/) });
    return place?.file === join(root, source) && place.line === line;
  });
}

function originalPlace(
  { url, map }: Script,
  { lineNumber, columnNumber }: { readonly lineNumber: number; readonly columnNumber: number },
) {
  const entry = map.findEntry(lineNumber, columnNumber);
  if (!('originalLine' in entry)) return undefined;
  const file = resolve(fileURLToPath(url), '..', entry.originalSource);
  return { file, line: entry.originalLine };
}
