/**
 * Replaces the SDK's writer of the headers of signed events, which every signer creates. DynamoDB has
 * no event streams.
 */
export class HeaderFormatter {
  /** @throws Error if it is used */
  format(): never {
    throw new Error('signed events are left out: see lib/functions/sdk-modules.ts');
  }
}
