import { subscribe } from 'node:diagnostics_channel';
import { registerHooks } from 'node:module';

// This module is loaded before a command. It sends its own process a signal while a module is loaded, or while
// orders are loaded. Another process could miss these moments on a fast or a slow machine.

const { SIGNAL, SIGNAL_AT_BATCH, SIGNAL_AT_MODULE } = process.env;
// An import uses the first operation, and a local run that fills its table the second.
const writesOfOrders = /\.(?:PutItem|TransactWriteItems)$/;
let batches = 0;
let isDone = false;

registerHooks({
  resolve: (name, context, next) => {
    if (name === SIGNAL_AT_MODULE) process.kill(process.pid, SIGNAL);
    return next(name, context);
  },
});
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: { getHeader(name: string): unknown } };
  if (!writesOfOrders.test(String(request.getHeader('x-amz-target')))) return;
  batches++;
  if (isDone || batches < Number(SIGNAL_AT_BATCH)) return;
  isDone = true;
  process.kill(process.pid, SIGNAL);
});
