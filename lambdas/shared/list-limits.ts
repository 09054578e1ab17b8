/*
 * A list occupies its execution environment while it is being sent, and Lambda lets it run to its end
 * even after the client has disconnected. These limits bound that time.
 */

/**
 * The time for a whole list. Lambda streams at most 200 MB, the first 6 MB without a limit and the
 * rest at 2 MB/s, which takes 97 s; the remainder is a reserve. The timeouts of API Gateway and of
 * the function are derived from it (`lib/settings/functions.ts`) and longer, so that
 * a list that is ended by this limit is still recorded.
 */
export const maxListMs = 110_000;

/** The rate at which a reader has to read while the list waits for it: 4 Mbit/s, a quarter of 2 MB/s. */
export const minBytesPerSecond = 500_000;

/**
 * How far a reader may fall behind that rate, and so the longest time for which one that reads
 * nothing occupies the environment.
 */
export const maxBacklogMs = 3_000;
