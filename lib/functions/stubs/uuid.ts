import { randomUUID } from 'node:crypto';

/**
 * Replaces the SDK's choice of a generator of UUIDs. It would take the global `crypto`, for which Node
 * loads the whole of its Web Crypto.
 */
export const bindV4 = () => () => randomUUID();
