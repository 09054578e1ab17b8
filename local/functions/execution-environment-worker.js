// The inside of one Lambda execution environment: loads a function's bundle and runs its handler,
// one invocation at a time. The outside, with the messages that both exchange, is
// worker-environment.ts. Plain JavaScript, because stripping types would double the time that
// every environment takes to start.
//
// What it does, and in which words it fails, is held to AWS's runtime interface client 4, the code
// that Lambda itself runs, by the tests in test/aws-runtime.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { constants, runInThisContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';

const streamingHandler = Symbol('streaming handler');
const delimiter = new Uint8Array(8);
const preludeContentType = 'application/vnd.awslambda.http-integration-response';

const callbacksAreGone =
  'ERROR: AWS Lambda has removed support for callback-based function handlers starting with ' +
  'Node.js 24. You need to modify this function to use a supported handler signature to use ' +
  'Node.js 24 or later. For more information see ' +
  'https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html.';

/** The invocation that is under way: messages about an earlier one are of no interest any more. */
let invocationId = 0;

/** Its stream, if it streams. */
let responseStream;

/**
 * What a streaming handler writes to. A chunk is acknowledged only while the reader at the far end,
 * the client's connection, has room: that is what slows the function down.
 *
 * A stream that is destroyed before it has ended takes the execution environment with it. On Lambda
 * it is an HTTP request of the runtime's, which answers its error with a rejection that nothing
 * handles.
 */
class ResponseStream extends Writable {
  #creditBytes;
  #whenCredited;
  #hasWritten = false;

  /** @param {number} creditBytes bytes that may be under way before the reader has taken any */
  constructor(creditBytes) {
    super({ decodeStrings: true });
    this.on('error', (error) => {
      Promise.reject(error);
    });
    this.#creditBytes = creditBytes;
  }

  setContentType(_contentType) {
    if (this.#hasWritten) {
      throw named('Runtime.InvalidStreamingOperation', 'Cannot set content-type, too late.');
    }
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

  _destroy(error, callback) {
    const isBrokenOff = !this.writableFinished;
    if (isBrokenOff && this.#hasWritten) post({ type: 'truncated' });
    callback(isBrokenOff ? (error ?? new Error('socket hang up')) : error);
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

parentPort.on('message', (message) => {
  if (message.type === 'invoke') invoke(message);
  else if (message.id === invocationId) responseStream?.credit(message.bytes);
});
if (handler) post({ type: 'ready' });

async function initialize() {
  try {
    const found = handlerIn(await loadModule(), workerData.handler);
    if (!found[streamingHandler] && found.length > 2) {
      throw named('Runtime.CallbackHandlerDeprecated', callbacksAreGone);
    }
    return found;
  } catch (error) {
    post({ type: 'init-error', error: errorObject(error) });
    return undefined;
  }
}

async function loadModule() {
  const path = resolve(workerData.codeDirectory, workerData.handler.split('.')[0]);
  try {
    const extension = ['.js', '.mjs', '.cjs'].find((known) => existsSync(path + known));
    if (extension === '.mjs') return await import(pathToFileURL(`${path}.mjs`));
    return loadCommonJs(path + (extension ?? '.js'));
  } catch (error) {
    if (error instanceof SyntaxError) throw named('Runtime.UserCodeSyntaxError', String(error));
    const isMissing = error?.code === 'MODULE_NOT_FOUND' || error?.code === 'ENOENT';
    if (isMissing) throw named('Runtime.ImportModuleError', String(error));
    throw error;
  }
}

/** Below `/var/task` Lambda finds no package.json of ours: a `.js` file is CommonJS there. */
function loadCommonJs(file) {
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(dirname(file));
  const code = readFileSync(file, 'utf8');
  if (workerData.isDebugged) runAsScript(code, module);
  else module._compile(code, file, 'commonjs');
  return module.exports;
}

/**
 * A debugger that asks for it is given time to set its breakpoints before a script with a source map
 * runs, but not before the function that Node otherwise makes of a module.
 */
function runAsScript(code, module) {
  const { filename } = module;
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const run = runInThisContext(Module.wrap(code), { filename, importModuleDynamically });
  run(module.exports, createRequire(filename), module, filename, dirname(filename));
}

/** What comes after the file's name in a function's `Handler` may lead through nested objects. */
function handlerIn(module, name) {
  const path = name.split('.').slice(1);
  const follow = (from) => path.reduce((value, key) => value?.[key], from);
  const found = follow(module) ?? follow(module?.default);
  const problem = found ? 'is not a function' : 'is undefined or not exported';
  if (typeof found !== 'function') throw named('Runtime.HandlerNotFound', `${name} ${problem}`);
  return found;
}

async function invoke({ id, event, context, creditBytes }) {
  invocationId = id;
  const isStreaming = handler[streamingHandler];
  responseStream = isStreaming ? new ResponseStream(creditBytes) : undefined;
  if (isStreaming) await stream(JSON.parse(event), lambdaContext(context), responseStream);
  else await answer(JSON.parse(event), lambdaContext(context));
}

/**
 * While a handler waits for something, that is what keeps Node running. One that waits for nothing
 * which could still come ends Node, and with it the execution environment.
 */
async function answer(event, context) {
  parentPort.unref();
  const report = await reportOf(() => handler(event, context));
  await untilIdle();
  parentPort.ref();
  post(report);
}

async function reportOf(handle) {
  try {
    return { type: 'result', payload: toJson((await handle()) ?? null) };
  } catch (error) {
    return { type: 'error', error: errorObject(error) };
  }
}

/** The function is done when its handler is and its stream has ended. */
async function stream(event, context, output) {
  const isFinished = new Promise((resolve) => {
    output.once('finish', resolve);
  });
  try {
    const handled = handler(event, output, context);
    if (typeof handled?.then !== 'function') {
      throw new Error('Streaming does not support non-async handlers.');
    }
    await handled;
  } catch (error) {
    // A stream that has ended is whole, whatever comes after; of one that was destroyed, its reader
    // knows already.
    const isOver = output.writableEnded || output.destroyed;
    if (!isOver) return breakOff(output, isFinished, error);
    console.error('Invoke Error', error);
    await untilIdle();
  }
  if (!output.destroyed) await isFinished;
  post({ type: 'end' });
}

/** What has been written goes out first, as on Lambda: the error follows in the trailers. */
async function breakOff(output, isFinished, error) {
  await untilIdle();
  output.end();
  await isFinished;
  post({ type: 'error', error: errorObject(error) });
}

/** What the function has left behind, such as a rejection that nothing handles, comes first. */
function untilIdle() {
  return new Promise((resolve) => setImmediate(resolve));
}

function post(message, transferred) {
  parentPort.postMessage({ id: invocationId, ...message }, transferred);
}

function lambdaContext({ deadlineMs, ...context }) {
  return { ...context, getRemainingTimeInMillis: () => deadlineMs - Date.now() };
}

function toJson(value) {
  try {
    return JSON.stringify(value);
  } catch {
    throw named('Runtime.JSONStringifyError', 'Unable to stringify response body');
  }
}

function named(name, message) {
  return Object.assign(new Error(message), { name });
}

function errorObject(error) {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  const { name, message, stack } = error;
  return { errorType: name, errorMessage: message, trace: String(stack).split('\n') };
}
