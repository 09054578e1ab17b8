// The inside of one Lambda execution environment: loads a function's bundle and runs its handler,
// one invocation at a time. The outside, with the messages that both exchange, is
// execution-environment.ts. Plain JavaScript, because stripping types would double the time that
// every environment takes to start.

import { existsSync, readFileSync } from 'node:fs';
import { Module } from 'node:module';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const streamingHandler = Symbol('streaming handler');
const delimiter = new Uint8Array(8);
const preludeContentType = 'application/vnd.awslambda.http-integration-response';

/** The invocation that is under way: messages about an earlier one are of no interest any more. */
let invocationId = 0;

/** Its stream, if it streams. */
let responseStream;

/**
 * What a streaming handler writes to. A chunk is acknowledged only while the reader at the far end,
 * the client's connection, has room: that is what slows the function down.
 */
class ResponseStream extends Writable {
  #creditBytes;
  #whenCredited;
  #hasWritten = false;

  /** @param {number} creditBytes bytes that may be under way before the reader has taken any */
  constructor(creditBytes) {
    super({ decodeStrings: true });
    // A handler that does not watch its stream must not bring the environment down.
    this.on('error', () => {});
    this.#creditBytes = creditBytes;
  }

  setContentType(_contentType) {
    if (this.#hasWritten) throw new Error('Cannot set content-type, too late.');
  }

  // As in Lambda's runtime, the first write sends the prelude; without any write there is none.
  write(chunk, encoding, callback) {
    if (!this.#hasWritten) {
      this.#hasWritten = true;
      this._onBeforeFirstWrite?.((data) => super.write(data));
    }
    const isBytes = typeof chunk === 'string' || chunk instanceof Uint8Array;
    return super.write(isBytes ? chunk : JSON.stringify(chunk), encoding, callback);
  }

  _write(chunk, _encoding, callback) {
    if (chunk.length === 0) return callback();
    const data = new Uint8Array(chunk);
    // Of the chunk: the copy is handed over, and has no length any more, once it is posted.
    this.#creditBytes -= chunk.length;
    post({ type: 'chunk', data }, [data.buffer]);
    if (this.#creditBytes > 0) return callback();
    this.#whenCredited = callback;
  }

  /** The reader has taken so many bytes. */
  credit(bytes) {
    this.#creditBytes += bytes;
    if (this.#creditBytes <= 0 || !this.#whenCredited) return;
    const proceed = this.#whenCredited;
    this.#whenCredited = undefined;
    proceed();
  }
}

globalThis.awslambda = {
  streamifyResponse(handler) {
    handler[streamingHandler] = true;
    return handler;
  },
  HttpResponseStream: {
    from(stream, metadata) {
      stream.setContentType(preludeContentType);
      stream._onBeforeFirstWrite = (write) => {
        write(JSON.stringify(metadata));
        write(delimiter);
      };
      return stream;
    },
  },
};

const handler = await initialize();

parentPort.on('message', async (message) => {
  if (message.type === 'invoke') await invoke(message);
  else if (message.id !== invocationId) return;
  else if (message.type === 'credit') responseStream?.credit(message.bytes);
  else responseStream?.destroy(new Error('The client has gone away.'));
});
if (handler) post({ type: 'ready' });

async function initialize() {
  try {
    const [fileName, exportName] = workerData.handler.split('.');
    const loaded = await loadModule(join(workerData.codeDirectory, fileName));
    const found = loaded[exportName] ?? loaded.default?.[exportName];
    if (typeof found !== 'function') throw new Error(`${workerData.handler} is not a function`);
    if (!found[streamingHandler] && found.length > 2) {
      throw new Error('Callback-based handlers are not supported by Node.js 24 on Lambda.');
    }
    return found;
  } catch (error) {
    post({ type: 'init-error', error: errorObject(error) });
    return undefined;
  }
}

/** Below `/var/task` Lambda finds no package.json of ours: a `.js` file is CommonJS there. */
function loadModule(path) {
  const isModule = existsSync(`${path}.mjs`);
  if (isModule) return import(pathToFileURL(`${path}.mjs`));
  const file = `${path}.js`;
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(dirname(file));
  module._compile(readFileSync(file, 'utf8'), file, 'commonjs');
  return module.exports;
}

async function invoke({ id, event, context, creditBytes }) {
  invocationId = id;
  responseStream = handler[streamingHandler] ? new ResponseStream(creditBytes) : undefined;
  try {
    const parsed = JSON.parse(event);
    if (responseStream) await stream(parsed, lambdaContext(context), responseStream);
    else answer(await handler(parsed, lambdaContext(context)));
  } catch (error) {
    post({ type: 'error', error: errorObject(error) });
  }
}

async function stream(event, context, output) {
  const isFinished = new Promise((resolve, reject) => {
    output.once('finish', resolve).once('error', reject);
  });
  isFinished.catch(() => {});
  await handler(event, output, context);
  if (!output.writableEnded) output.end();
  await isFinished;
  post({ type: 'end' });
}

function answer(result) {
  post({ type: 'result', payload: JSON.stringify(result ?? null) });
}

function post(message, transferred) {
  parentPort.postMessage({ id: invocationId, ...message }, transferred);
}

function lambdaContext({ deadlineMs, ...context }) {
  return {
    ...context,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
}

function errorObject(error) {
  const isError = error instanceof Error || typeof error?.message === 'string';
  return {
    errorType: isError ? String(error.name) : typeof error,
    errorMessage: isError ? String(error.message) : String(error),
    trace: isError ? String(error.stack).split('\n') : [],
  };
}
