import { ordersTableName } from './doubles/orders-table.ts';
import { listEvent } from './workbench/events.ts';
import { interleave, median } from './workbench/interleave.ts';
import { setUpWorkbench } from './workbench/workbench.ts';

// How the list grows with the store, for docs/scaling.md: run it with `node bench/list-sizes.ts`.
const sizes = [50, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const acceptGzip = { 'Accept-Encoding': 'gzip' };

const bench = await setUpWorkbench(false);
try {
  for (const headers of [{}, acceptGzip]) {
    console.log('Accept-Encoding' in headers ? '\nThe client accepts gzip' : 'Plain');
    console.table(Object.fromEntries(await measureSizes(headers)));
  }
} finally {
  bench.close();
}

async function measureSizes(headers: Record<string, string>) {
  const rows: [string, Record<string, string>][] = [];
  for (const orders of sizes) rows.push([String(orders), await measureSize(orders, headers)]);
  return rows;
}

async function measureSize(orders: number, headers: Record<string, string>) {
  const rounds = orders > 1_000_000 ? 1 : 3;
  const { list } = await interleave(rounds, { list: () => listOnce(orders, headers) });
  const middle = (figure: (listing: Awaited<ReturnType<typeof listOnce>>) => number) =>
    median(list.map(figure));
  return {
    'answer MB': middle(({ bytes }) => bytes / 1e6).toFixed(3),
    'CPU s': middle(({ cpuMs }) => cpuMs / 1000).toFixed(3),
    'first byte ms': middle(({ firstByteMs }) => firstByteMs).toFixed(0),
    'last byte s': middle(({ wallMs }) => wallMs / 1000).toFixed(3),
    'peak memory MB': middle(({ peakRssMb }) => peakRssMb).toFixed(0),
  };
}

async function listOnce(orders: number, headers: Record<string, string>) {
  const { file } = bench.bundles.ours.listOrders;
  const { calls, peakRssMb } = await bench.measure(
    {
      kind: 'list',
      bundleFile: file,
      event: listEvent(headers),
      isStreaming: true,
      calls: 1,
      isChecked: false,
    },
    { ORDERS_TABLE: ordersTableName({ orders }) },
  );
  return { ...calls[0]!, peakRssMb };
}
