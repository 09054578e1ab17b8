// The thread of an execution environment; execution-environment.ts starts it and declares its messages. It is
// plain JavaScript, because stripping types would double the start time of every environment.

import { readFileSync } from 'node:fs';
import { Module, setSourceMapsSupport } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';

const streamingHandler = Symbol('streaming handler');
const delimiter = Buffer.alloc(8);

/** The stream of the current invocation, if the function streams. */
let responseStream;

/** The stream of a streaming handler. A chunk counts as written when the client's connection wants the next one. */
class ResponseStream extends Writable {
  #proceed = () => {};
  /** The beginning of the first chunk. As in Lambda's runtime, it is not sent without a chunk. */
  prelude = Buffer.alloc(0);

  constructor() {
    super();
    // The handler's failure is reported, and its stream has the same error.
    this.on('error', () => {});
  }

  _write(chunk, _encoding, callback) {
    // The copy is transferred to the other thread. A chunk may be a part of a larger buffer.
    const data = new Uint8Array(Buffer.concat([this.prelude, chunk]));
    this.prelude = Buffer.alloc(0);
    this.#proceed = callback;
    post({ type: 'chunk', data }, [data.buffer]);
  }

  proceed() {
    const proceed = this.#proceed;
    this.#proceed = () => {};
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
      stream.prelude = Buffer.concat([Buffer.from(JSON.stringify(metadata)), delimiter]);
      return stream;
    },
  },
};

try {
  const handler = loadHandler(workerData);
  parentPort.on('message', (message) => {
    if (message.type === 'invoke') void invoke(handler, message);
    else responseStream?.proceed();
  });
  post({ type: 'started' });
} catch (error) {
  post({ type: 'started', error: errorObject(error) });
}

function loadHandler({ codeDirectory, handler }) {
  const [file, name] = handler.split('.');
  const found = load(join(codeDirectory, `${file}.js`))[name];
  if (typeof found === 'function') return found;
  const message = `${handler} is undefined or not a function`;
  throw Object.assign(new Error(message), { name: 'Runtime.HandlerNotFound' });
}

/** Loads a file as CommonJS, as Lambda does, because `/var/task` contains no package.json. */
function load(filename) {
  setSourceMapsSupport(true);
  // With a wrapper that was assigned, Node runs a module as a script. A debugger can pause before a script
  // with a source map runs, to set its breakpoints, but not before the function that Node compiles otherwise.
  Module.wrapper = [...Module.wrapper];
  const module = new Module(filename);
  module.filename = filename;
  module._compile(readFileSync(filename, 'utf8'), filename, 'commonjs');
  return module.exports;
}

async function invoke(handler, { event, context: { deadlineMs, ...rest } }) {
  const context = { ...rest, getRemainingTimeInMillis: () => deadlineMs - Date.now() };
  const isStreaming = handler[streamingHandler];
  responseStream = isStreaming ? new ResponseStream() : undefined;
  try {
    if (isStreaming) {
      await handler(JSON.parse(event), responseStream, context);
      await finished(responseStream);
      post({ type: 'end' });
    } else {
      const result = await handler(JSON.parse(event), context);
      post({ type: 'result', payload: JSON.stringify(result ?? null) });
    }
  } catch (error) {
    // Nothing that was written before must reach the next invocation's reader.
    responseStream?.destroy();
    post({ type: 'error', error: errorObject(error) });
  }
}

function post(message, transferred) {
  parentPort.postMessage(message, transferred);
}

function errorObject(error) {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), trace: [] };
  }
  const { name, message, stack } = error;
  return { errorType: name, errorMessage: message, trace: String(stack).split('\n') };
}
