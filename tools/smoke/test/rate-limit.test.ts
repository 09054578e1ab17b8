import { expect, it } from '@jest/globals';
import { rateLimitDifferences } from '../stage/rate-limit.ts';

const resetSeconds = 1_790_000_040;
const secondsLeft = 34;

/** An answer that is sent a while after the limiter has read its clock. */
function answer(sentAfterSeconds: number, durationMs: number) {
  const sentAtSeconds = resetSeconds - secondsLeft + sentAfterSeconds;
  const headers = {
    date: new Date(sentAtSeconds * 1_000).toUTCString(),
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '59',
    'x-ratelimit-reset': String(resetSeconds),
    'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    ratelimit: `"minute";r=59;t=${secondsLeft}, "day";r=999;t=40000`,
  };
  const values = Object.entries(headers).map(([name, value]) => [name, [value]] as const);
  return { headers: new Map(values), durationMs };
}

const disagreement = expect.stringContaining('describe no window of');

it.each([
  [0, 100, []],
  // As long as a cold start and a second attempt of the write.
  [9, 9_500, []],
  [9, 100, [disagreement]],
  [-4, 9_500, [disagreement]],
])(
  'the limiter reads its clock during the call: %i s before the answer, of %i ms',
  (sentAfterSeconds, durationMs, differences) => {
    expect(rateLimitDifferences(answer(sentAfterSeconds, durationMs))).toEqual(differences);
  },
);
