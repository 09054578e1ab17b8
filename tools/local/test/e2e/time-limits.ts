import { Socket } from 'node:net';
import { runInThisContext } from 'node:vm';

// Functions wait for DynamoDB for as long as a busy machine may stand still: a request that is given up and sent
// again is counted twice.
const patience = 20;
// Pauses between attempts are shorter than this, time limits longer.
const shortestLimitMs = 900;

/** Lengthens the time limits of functions in this process. Returns what undoes it. */
export function lengthenTimeLimits(): () => void {
  const { prototype } = Socket;
  const { setTimeout: setSocketTimeout } = prototype;
  // The timers of the main context are replaced, because functions do not run in the context of Jest's test files.
  const globals = runInThisContext('globalThis');
  const { setTimeout: systemSetTimeout } = globals;
  globals.setTimeout = new Proxy(systemSetTimeout, {
    apply: (target, self, [callback, delayMs, ...values]) =>
      Reflect.apply(target, self, [callback, longer(delayMs), ...values]),
  });
  prototype.setTimeout = function (delayMs, callback) {
    return setSocketTimeout.call(this, longer(delayMs), callback);
  };
  return () => {
    globals.setTimeout = systemSetTimeout;
    prototype.setTimeout = setSocketTimeout;
  };
}

const longer = (delayMs: number) => (delayMs >= shortestLimitMs ? patience * delayMs : delayMs);
