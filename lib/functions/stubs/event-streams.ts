/**
 * Stands in for the SDK's event-stream codec inside the bundles. The SDK loads it only for
 * operations whose input or output is a stream of events; DynamoDB has none.
 *
 * @throws Error whenever it is used after all.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are left out of the bundles: see lib/functions/bundling.ts');
  }
}

/** See {@link EventStreamSerde}. */
export const eventStreamSerdeProvider = () => new EventStreamSerde();
