import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Lets Node keep what it compiles, for this process and for the processes and threads that it
 * starts: from the second run on, the AWS SDK and the CDK load in about half the time. It works for
 * what is imported after this call, so not for static imports beside it.
 */
export function keepCompiledCode(): void {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../.cache/compiled');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
}
