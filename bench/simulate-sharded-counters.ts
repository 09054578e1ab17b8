import { type HotKeyOutcome, type HotKeyScenario, simulateHotKey } from './sharded-counters.ts';

// What one DynamoDB item cannot count, and what two designs make of it: run it with
// `node bench/simulate-sharded-counters.ts`. docs/scaling.md quotes the figures.
const hotKey = {
  limit: 600_000,
  offeredPerSecond: 12_000,
  environments: 200,
  windows: 2,
  leaseSize: 1,
  seed: 20_261_120,
};

const designs: Record<string, HotKeyScenario> = {
  'one item (as built)': { ...hotKey, items: 1, triesPerRequest: 1 },
  '16 items, every one tried': { ...hotKey, items: 16, triesPerRequest: 16 },
  '16 items, two tries': { ...hotKey, items: 16, triesPerRequest: 2 },
  '1 item, leases of 50': { ...hotKey, items: 1, triesPerRequest: 1, leaseSize: 50 },
  '4 items, leases of 50': { ...hotKey, items: 4, triesPerRequest: 4, leaseSize: 50 },
};

const { limit, offeredPerSecond, environments, windows } = hotKey;
console.log(
  `One key, ${limit} requests a minute allowed, ${offeredPerSecond} a second offered for ` +
    `${windows} minutes, ${environments} execution environments\n`,
);
console.table(
  Object.fromEntries(
    Object.entries(designs).map(([name, design]) => [name, describe(simulateHotKey(design))]),
  ),
);

function describe(outcome: HotKeyOutcome) {
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
  return {
    'admitted a minute': Math.round(outcome.admitted / windows),
    'most in a minute': outcome.mostInOneWindow,
    '429 too early': outcome.refusedTooEarly,
    'answered 503': percent(outcome.unavailable / outcome.offered),
    'writes a request': outcome.writesPerRequest.toFixed(3),
    'error of Remaining': percent(outcome.remainingError),
  };
}
