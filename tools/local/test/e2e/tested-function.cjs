// template-with-functions.ts has Node load this file before a function.

const { readFileSync } = require('node:fs');
const { ClientRequest } = require('node:http');
const { Socket } = require('node:net');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

// The function waits for DynamoDB for as long as a machine may stand still: a request that is given up
// and sent again is counted twice.
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

// With a clock of service-clock.ts, `Date` returns the time that a test has written to a file.
const { TEST_CLOCK_FILE } = process.env;
const now = () => Number(readFileSync(TEST_CLOCK_FILE, 'utf8'));

if (TEST_CLOCK_FILE) {
  globalThis.Date = new Proxy(Date, {
    construct: (SystemDate, fields) =>
      fields.length === 0 ? new SystemDate(now()) : new SystemDate(...fields),
    get: (SystemDate, name) => (name === 'now' ? now : SystemDate[name]),
  });
}

const { emit } = ClientRequest.prototype;
ClientRequest.prototype.emit = function (event, ...values) {
  if (event === 'response') onAnswer(values[0].headers);
  return emit.call(this, event, ...values);
};

function onAnswer(headers) {
  // A test asks by this header how much memory the function holds.
  if (headers['x-amz-test-report-memory']) {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc');
    collectGarbage();
    // The buffers that one collection has found are freed by the next at the latest.
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    process.stdout.write(`held bytes: ${heapUsed + arrayBuffers}\n`);
  }
  // A function corrects its clock by this header, which therefore has to be the same time.
  if (TEST_CLOCK_FILE && headers.date) headers.date = new Date(now()).toUTCString();
}
