import { InterruptedError } from '../../shared/errors.ts';

/** Waits for some work, until the operator interrupts it. @throws InterruptedError */
export async function unlessInterrupted<T>(
  work: () => Promise<T>,
  interruption: AbortSignal | undefined,
): Promise<T> {
  if (!interruption) return work();
  if (interruption.aborted) throw interrupted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(interrupted());
  interruption.addEventListener('abort', stop);
  try {
    return await Promise.race([work(), promise]);
  } finally {
    interruption.removeEventListener('abort', stop);
  }
}

const interrupted = () => new InterruptedError('interrupted', { remedy: 'run the command again' });
