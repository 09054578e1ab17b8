import { subscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Is loaded before a command: it gives its process a signal in the middle of loading orders, which
 * nothing outside of it can be sure to meet, however fast or slow the machine is.
 */

const { SIGNAL, SIGNAL_AT_BATCH, SIGNAL_AFTER_CHECKPOINT_IN } = process.env;
// Those of an import, and those of a local run that fills its table.
const writesOfOrders = /\.(?:BatchExecuteStatement|TransactWriteItems)$/;
let batches = 0;

subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: { getHeader(name: string): unknown } };
  if (!writesOfOrders.test(String(request.getHeader('x-amz-target')))) return;
  batches++;
  if (batches < Number(SIGNAL_AT_BATCH) || !hasCheckpoint()) return;
  batches = Number.NEGATIVE_INFINITY;
  process.kill(process.pid, SIGNAL);
});

/** Whether an import has noted down that some of the file is in the table. */
function hasCheckpoint(): boolean {
  if (SIGNAL_AFTER_CHECKPOINT_IN === undefined) return true;
  const [name] = readdirSync(SIGNAL_AFTER_CHECKPOINT_IN).filter((each) => each.endsWith('.json'));
  if (name === undefined) return false;
  return JSON.parse(readFileSync(join(SIGNAL_AFTER_CHECKPOINT_IN, name), 'utf8')).end.offset > 0;
}
