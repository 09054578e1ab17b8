import type { Readable } from 'node:stream';

/** What goes back to the client. */
export interface GatewayAnswer {
  readonly statusCode: number;
  /** Names and values; a name may occur more than once. */
  readonly headers: [string, string][];
  /** All of it, or as it comes. */
  readonly body: Buffer | Readable;
  /** What the authorizer said of the caller, where it was asked. */
  readonly authorizer?: Readonly<Record<string, unknown>> | undefined;
}
