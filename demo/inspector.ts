import inspector from 'node:inspector';
import { OperatorError } from '../shared/errors.ts';

/** What a debugger attaches to. */
export interface OpenInspector {
  /** Sends every debugger away, and lets threads go on that one has stopped. */
  release(): void;
}

// What a thread may wait for: to be resumed, or to be started at all.
const resumingCalls = [
  { id: 1, method: 'Debugger.enable' },
  { id: 2, method: 'Debugger.resume' },
  { id: 3, method: 'Runtime.runIfWaitingForDebugger' },
];

/**
 * Lets a debugger attach to this process, and through it to every thread that a function runs in.
 * On this machine only: who can attach can do whatever this user can. Node prints the address.
 *
 * @param port 0 for any free one
 * @throws OperatorError when nothing can listen there
 */
export function openInspector(port: number): OpenInspector {
  inspector.open(port, '127.0.0.1');
  if (inspector.url() === undefined) {
    const remedy = 'choose another port, or 0 for any that is free';
    throw new OperatorError(`--inspect: ${port} cannot be listened on; ${remedy}`);
  }
  let isReleased = false;
  return {
    release: () => {
      if (isReleased) return;
      isReleased = true;
      // Node waits for an attached debugger to leave before it ends, unless the inspector is closed.
      inspector.close();
      resumeThreads();
    },
  };
}

/** A thread that is stopped in a debugger cannot be ended, not even with its process. */
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
