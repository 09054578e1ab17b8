// The code that runs in a Lambda execution environment: it loads a function's bundle and runs its
// handler, one invocation at a time. worker-environment.ts starts it and declares the messages that
// both exchange. It is plain JavaScript, because stripping types would double the start time of
// every environment.
//
// The tests in test/aws-runtime compare its behaviour and its errors with those of AWS's runtime
// interface client 4, which is the code that Lambda runs.

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

/** The id of the current invocation. Messages about an earlier one are ignored. */
let invocationId = 0;

/** The stream of the current invocation, if the function streams. */
let responseStream;

/**
 * The stream that a streaming handler writes to. A chunk is acknowledged only while the reader, which
 * is the client's connection, has credit left. This backpressure slows the function down.
 *
 * Destroying the stream before it has ended also ends the execution environment. On Lambda the stream
 * is an HTTP request of the runtime, whose error becomes an unhandled rejection.
 */
class ResponseStream extends Writable {
  #creditBytes;
  #whenCredited;
  #hasWritten = false;

  /** @param {number} creditBytes the bytes that may be sent before the reader has read any */
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

  // As in Lambda's runtime, the prelude is sent with the first write, and not at all without one.
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
    // The copy is transferred to the other thread, so its own length is 0 after `post`.
    this.#creditBytes -= chunk.length;
    post({ type: 'chunk', data }, [data.buffer]);
    if (this.#creditBytes > 0) return callback();
    this.#whenCredited = callback;
  }

  _destroy(error, callback) {
    const isIncomplete = !this.writableFinished;
    if (isIncomplete && this.#hasWritten) post({ type: 'truncated' });
    callback(isIncomplete ? (error ?? new Error('socket hang up')) : error);
  }

  /** Adds credit for bytes that the reader has read. */
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

/** Loads a `.js` file as CommonJS, as Lambda does, because `/var/task` contains no package.json. */
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
 * Loads a module as a script. A debugger can pause before a script with a source map runs, to set its
 * breakpoints, but not before the function that Node compiles a module to.
 */
function runAsScript(code, module) {
  const { filename } = module;
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const run = runInThisContext(Module.wrap(code), { filename, importModuleDynamically });
  run(module.exports, createRequire(filename), module, filename, dirname(filename));
}

/** Finds the handler. In `Handler`, the path after the file's name may contain nested objects. */
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
 * Runs a handler that returns its result. The port is unreferenced meanwhile, so that only the
 * handler's own work keeps Node running: as on Lambda, the environment ends if the handler waits for
 * a promise that nothing can settle any more.
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

/** Runs a streaming handler. The invocation ends when the handler and its stream have ended. */
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
    // The reader of a stream that has ended gets all of it, and the reader of a destroyed stream has
    // already got its error.
    const isOver = output.writableEnded || output.destroyed;
    if (!isOver) return endWithError(output, isFinished, error);
    console.error('Invoke Error', error);
    await untilIdle();
  }
  if (!output.destroyed) await isFinished;
  post({ type: 'end' });
}

/** Sends what has been written before the error. Lambda sends the error after it, in trailers. */
async function endWithError(output, isFinished, error) {
  await untilIdle();
  output.end();
  await isFinished;
  post({ type: 'error', error: errorObject(error) });
}

/** Waits until pending events, such as an unhandled rejection, have been processed. */
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
