// service-clock.ts has Node load this file before a function. It makes `Date` return the time that a
// test has written to a file.

require('./patient-function.cjs');

const { readFileSync } = require('node:fs');
const { ClientRequest } = require('node:http');

const now = () => Number(readFileSync(process.env.TEST_CLOCK_FILE, 'utf8'));

globalThis.Date = new Proxy(Date, {
  construct: (SystemDate, fields) =>
    fields.length === 0 ? new SystemDate(now()) : new SystemDate(...fields),
  get: (SystemDate, name) => (name === 'now' ? now : SystemDate[name]),
});

// A function corrects its clock by DynamoDB's `Date` header, which therefore has to be the same time.
const { emit } = ClientRequest.prototype;
ClientRequest.prototype.emit = function (event, ...values) {
  const [response] = values;
  // An answer of DynamoDB with this header ends the function.
  if (event === 'response' && response.headers['x-amz-test-exit']) process.exit(1);
  if (event === 'response' && response.headers.date) {
    response.headers.date = new Date(now()).toUTCString();
  }
  return emit.call(this, event, ...values);
};
