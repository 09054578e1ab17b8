import { medianOf } from './medians.ts';
import { acceptGzip, type Listing, listOnce } from './workbench/list-table.ts';
import { setUpWorkbench } from './workbench/workbench.ts';

// `node bench/list-sizes.ts` measures how the list grows with the store, for docs/scaling.md.
const sizes = [50, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

const bench = await setUpWorkbench(false);
try {
  for (const headers of [{}, acceptGzip]) {
    const rows = [];
    for (const orders of sizes) rows.push([orders, await measureSize(orders, headers)]);
    console.log(headers === acceptGzip ? '\nThe client accepts gzip' : 'Plain');
    console.table(Object.fromEntries(rows));
  }
} finally {
  bench.close();
}

async function measureSize(orders: number, headers: Record<string, string>) {
  const rounds = orders > 1_000_000 ? 1 : 3;
  const listings: Listing[] = [];
  for (let round = 0; round < rounds; round++) {
    listings.push(await listOnce(bench, bench.bundles.ours.listOrders, { orders, headers }));
  }
  const middle = (figure: keyof Listing) => medianOf(listings, figure);
  return {
    'answer MB': middle('megabytes').toFixed(3),
    'CPU s': (middle('cpuMs') / 1000).toFixed(3),
    'first byte ms': middle('firstByteMs').toFixed(0),
    'last byte s': (middle('wallMs') / 1000).toFixed(3),
    'peak memory MB': middle('peakRssMb').toFixed(0),
  };
}
