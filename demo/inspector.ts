import inspector from 'node:inspector';
import { OperatorError } from '../shared/errors.ts';

/**
 * Lets a debugger attach to this process, and through it to every thread that a function runs in.
 * On this machine only: who can attach can do whatever this user can. Node prints the address.
 *
 * @param port 0 for any free one
 * @throws OperatorError when nothing can listen there
 */
export function openInspector(port: number): Disposable {
  inspector.open(port, '127.0.0.1');
  if (inspector.url() === undefined) {
    const remedy = 'choose another port, or 0 for any that is free';
    throw new OperatorError(`--inspect: ${port} cannot be listened on; ${remedy}`);
  }
  // Node waits for an attached debugger to leave before it ends, unless the inspector is closed.
  const close = () => inspector.close();
  process.once('exit', close);
  return {
    [Symbol.dispose]: () => {
      process.off('exit', close);
      close();
    },
  };
}
