/**
 * Replaces the SDK's reader of what an operation's schema says about paths, headers and host names.
 * DynamoDB's operations are all `POST /`, so their schemas have no such traits.
 *
 * @throws Error for an operation that has traits
 */
export function getHttpOperationBindings({ name, traits }: { name: string; traits: unknown }) {
  if (traits) throw new Error(`${name} has traits: see lib/functions/sdk-modules.ts`);
  return [];
}

/** Is only used for operations with traits. @throws Error if it is used */
export function HttpBindingNormalizedSchema(): never {
  throw new Error('HTTP bindings are left out: see lib/functions/sdk-modules.ts');
}
