import inspector from 'node:inspector';
import { OperatorError } from '../shared/errors.ts';

const resumingCalls = [
  { id: 1, method: 'Debugger.enable' },
  { id: 2, method: 'Debugger.resume' },
  { id: 3, method: 'Runtime.runIfWaitingForDebugger' },
];

/**
 * Lets a debugger attach to this process and its threads, until it is disposed. It listens on a loopback address
 * only, because a debugger can do everything that this user can. Node prints the address.
 *
 * @throws OperatorError if the port is not available
 */
export function openInspector(port: number): Disposable {
  inspector.open(port, '127.0.0.1');
  if (inspector.url() === undefined) {
    const remedy = 'choose another port, or 0 for a free one';
    throw new OperatorError(`--inspect: port ${port} is not available; ${remedy}`);
  }
  return {
    [Symbol.dispose]: () => {
      // Unless the inspector is closed, Node does not exit while a debugger is attached.
      inspector.close();
      resumeThreads();
    },
  };
}

/**
 * A thread that a debugger has paused cannot be terminated. Node 24 can still end with SIGSEGV if a debugger is
 * attached to a thread that ends.
 */
function resumeThreads(): void {
  const session = new inspector.Session();
  session.connect();
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    for (const call of resumingCalls) {
      const message = JSON.stringify(call);
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, () => {});
    }
  });
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {});
}
