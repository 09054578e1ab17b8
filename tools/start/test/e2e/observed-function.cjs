// list.test.ts has Node load this file before a function.

const { ClientRequest } = require('node:http');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

require('./patient-function.cjs');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

// An answer of DynamoDB with this header makes the function log how much memory it holds.
const { emit } = ClientRequest.prototype;
ClientRequest.prototype.emit = function (event, ...values) {
  const [response] = values;
  if (event === 'response' && response.headers['x-amz-test-report-memory']) {
    collectGarbage();
    // The buffers that one collection has found are freed by the next at the latest.
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    process.stdout.write(`held bytes: ${heapUsed + arrayBuffers}\n`);
  }
  return emit.call(this, event, ...values);
};
