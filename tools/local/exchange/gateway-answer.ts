import type { Readable } from 'node:stream';

/** The response to a client. */
export interface GatewayAnswer {
  readonly statusCode: number;
  /** Names and values; a name may occur more than once. */
  readonly headers: [string, string][];
  /** The whole body, or its stream. */
  readonly body: Buffer | Readable;
  /** The authorizer's context for the request; absent if no authorizer was invoked. */
  readonly authorizer?: Readonly<Record<string, unknown>> | undefined;
}
