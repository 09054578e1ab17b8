import { TestEnvironment } from 'jest-environment-node';
import './compiled-modules.js';

// What Jest sends to a worker process at the end of a run: `CHILD_MESSAGE_END` of jest-worker.
const endMessage = 2;

if (process.env.JEST_WORKER_ID !== undefined && process.connected) {
  process.on('message', (message) => {
    if (Array.isArray(message) && message[0] === endMessage) setImmediate(() => process.exit());
  });
}

/**
 * Jest's environment for Node, with worker processes that exit as soon as Jest ends them.
 *
 * Otherwise a process ends when it has nothing left to do, and V8 then frees the modules of all test
 * files that it has run, hundreds of megabytes. On a busy machine that takes longer than the half
 * second after which Jest kills the process and warns of tests that leak.
 */
export default TestEnvironment;
