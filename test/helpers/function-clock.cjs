// Loaded by Node before a function's code, where a test has set a clock: see service-clock.ts. It
// makes `Date` tell the time that the test has written down.

const { readFileSync } = require('node:fs');
const { ClientRequest } = require('node:http');

const now = () => Number(readFileSync(process.env.TEST_CLOCK_FILE, 'utf8'));

globalThis.Date = new Proxy(Date, {
  construct: (SystemDate, fields) =>
    fields.length === 0 ? new SystemDate(now()) : new SystemDate(...fields),
  get: (SystemDate, name) => (name === 'now' ? now : SystemDate[name]),
});

// DynamoDB's `Date` header, by which a function corrects a wrong clock, has to tell the same time.
const { emit } = ClientRequest.prototype;
ClientRequest.prototype.emit = function (event, ...values) {
  const [response] = values;
  if (event === 'response' && response.headers.date) {
    response.headers.date = new Date(now()).toUTCString();
  }
  return emit.call(this, event, ...values);
};
