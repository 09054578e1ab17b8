/*
 * A list holds its execution environment for as long as it is being sent, and its client's leaving
 * does not end it: Lambda has it run to its end. So it ends by itself.
 *
 * - Lambda streams 200 MB at most, the first 6 MB as fast as they are taken and the rest at 2 MB/s:
 *   97 s. Whatever takes longer could not have been sent whole, but for a few seconds' reserve.
 * - A reader is expected to take 1 Mbit/s, a sixteenth of what Lambda would send it, whenever the
 *   list waits for it. It may fall 10 s behind that: so long does one that takes nothing at all hold
 *   the environment.
 *
 * API Gateway's and the function's own time-outs (`integrationTimeouts` in `lib/api/orders-api.ts`) are longer than the first
 * of these, so that the list ends in good order and is recorded.
 */
export const longestListMs = 110_000;
export const leastBytesPerSecond = 125_000;
export const patienceMs = 10_000;
