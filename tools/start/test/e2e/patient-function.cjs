// RunningStore has Node load this file before a function. It makes the function wait for DynamoDB for
// as long as a machine may stand still: a request that is given up and sent again is counted twice.

const { Socket } = require('node:net');

const patience = 20;
// Pauses between attempts are shorter than this, time limits longer.
const shortestLimitMs = 900;

const longer = (delayMs) => (delayMs >= shortestLimitMs ? patience * delayMs : delayMs);

globalThis.setTimeout = new Proxy(setTimeout, {
  apply: (systemSetTimeout, self, [callback, delayMs, ...values]) =>
    Reflect.apply(systemSetTimeout, self, [callback, longer(delayMs), ...values]),
});

const { setTimeout: setSocketTimeout } = Socket.prototype;
Socket.prototype.setTimeout = function (delayMs, ...callbacks) {
  return setSocketTimeout.call(this, longer(delayMs), ...callbacks);
};
