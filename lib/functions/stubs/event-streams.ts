/**
 * Replaces the SDK's event-stream codec in the bundles. The SDK uses it only for operations whose input or
 * output is an event stream, and DynamoDB has none.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are left out of the bundles: see lib/functions/bundling.ts');
  }
}

/** See {@link EventStreamSerde}. */
export const eventStreamSerdeProvider = () => new EventStreamSerde();
