/**
 * Stands in for `node:fs/promises` inside the bundles. The SDK reads `~/.aws/config` with it, at the
 * first call, for settings that neither the code nor the environment gives; Lambda has no such file.
 */
export async function readFile(path: unknown): Promise<never> {
  throw new Error(`${path} is not read: bundles take their settings from the environment`);
}
