// Loaded by Node before a function's code, where a test has set a clock: see service-clock.ts. It
// makes `Date` tell the time that the test has written down.

const { readFileSync } = require('node:fs');

const now = () => Number(readFileSync(process.env.TEST_CLOCK_FILE, 'utf8'));

globalThis.Date = new Proxy(Date, {
  construct: (SystemDate, fields) =>
    fields.length === 0 ? new SystemDate(now()) : new SystemDate(...fields),
  get: (SystemDate, name) => (name === 'now' ? now : SystemDate[name]),
});
