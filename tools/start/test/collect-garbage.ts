import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Frees what this thread no longer uses. */
export function collectGarbage(): void {
  collect();
  // The buffers that one collection has found are freed by the next at the latest.
  collect();
}
