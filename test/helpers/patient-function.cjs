// RunningStore has Node load this file before a function. It makes the function wait for DynamoDB for
// as long as a machine may stand still: a request that is given up and sent again is counted twice.

const patience = 20;
// Pauses between attempts are shorter than this, time limits longer.
const shortestLimitMs = 900;

globalThis.setTimeout = new Proxy(setTimeout, {
  apply: (systemSetTimeout, self, [callback, delayMs, ...values]) => {
    const longerMs = delayMs >= shortestLimitMs ? patience * delayMs : delayMs;
    return Reflect.apply(systemSetTimeout, self, [callback, longerMs, ...values]);
  },
});
