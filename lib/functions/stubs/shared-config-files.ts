/**
 * Replaces `node:fs/promises` in the bundles. The SDK uses it to read `~/.aws/config` at the first
 * request, for settings that are given neither in code nor in the environment. Lambda has no such
 * file.
 */
export async function readFile(path: unknown): Promise<never> {
  throw new Error(`${path} is not read: bundles take their settings from the environment`);
}
