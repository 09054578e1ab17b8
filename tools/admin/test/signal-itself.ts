import { subscribe } from 'node:diagnostics_channel';
import { registerHooks } from 'node:module';

/*
 * Is loaded before a command. It sends its own process a signal while a module is loaded, or in the middle
 * of loading orders. Another process could miss these moments on a fast or a slow machine.
 */

const { SIGNAL, SIGNAL_AT_BATCH, SIGNAL_AT_MODULE } = process.env;
// Those of an import, and those of a local run that fills its table.
const writesOfOrders = /\.(?:BatchExecuteStatement|TransactWriteItems)$/;
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
  // npm passes on what a terminal has sent to all of its processes already.
  setTimeout(() => process.kill(process.pid, SIGNAL), 10).unref();
});
