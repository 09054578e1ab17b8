import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { HttpClient } from '../../../smoke/stage/http-client.ts';
import { Load } from './load.ts';
import { OrderBatches } from './order-batches.ts';
import { progressLine, reportPlot, reportText } from './report.ts';
import { SoakRun } from './soak-run.ts';

const tokens = { unlimited: 'unlimited', limited: 'limited' };

/** A service that answers every request with a status that is not documented. */
function wrongService(onRequest: (path: string) => void): Pick<HttpClient, 'send'> {
  return {
    async send({ path }) {
      onRequest(path);
      return { status: 418, headers: new Map(), body: Readable.from([]) as never };
    },
  };
}

/** The orders of a run in a database that accepts everything and stays empty. */
function unstoredBatches(): OrderBatches {
  const data = new DynamoDBClient({ region: 'local' });
  return new OrderBatches(Object.assign(data, { send: async () => ({}) }), 'Orders');
}

describe('a soak', () => {
  it('reports what it has found so far, by name, when it is ended early', async () => {
    const ending = new AbortController();
    const lines: string[] = [];
    const settings = {
      ...{ minutes: 60, ratePerSecond: 1_000, seed: 1, hasFaults: true },
      ...{ signal: ending.signal, progress: (line: string) => lines.push(line) },
    };
    const run = new SoakRun(
      {
        settings,
        dynamodb: { use: () => {}, isIdle: async () => {} },
        service: { processId: process.pid, hasEnded: () => false },
        client: wrongService(() => ending.abort()),
        batches: unstoredBatches(),
        tokens,
      },
      process.pid,
    );

    const report = await run.run();

    expect(report.violations.answer).toBeGreaterThan(0);
    expect(reportText(report)).toContain('answer: cancel was answered 418');
    expect(reportPlot(report)).toContain('</svg>');
    const [sample] = report.samples;
    expect(lines).toEqual([progressLine(sample!)]);
    const { answer } = report.violations;
    expect(progressLine({ ...sample!, violations: report.violations })).toMatch(
      new RegExp(`; violations: .*\\b${answer} answer\\b`),
    );
  });

  it('lets requests compete for a few orders at a time, and comes through all of them', async () => {
    const paths = new Set<string>();
    const load = new Load(
      wrongService((path) => paths.add(path)),
      tokens,
      1,
      () => {},
    );
    load.batch = await unstoredBatches().place();
    const orderPaths = load.batch.ids.map((id) => `/store/orders/${id}`);
    const cancelled = async (progress: number) => {
      paths.clear();
      load.progress = progress;
      for (let request = 0; request < 60; request++) load.sendNext();
      await load.isIdle();
      return orderPaths.filter((path) => paths.has(path));
    };

    const [first, last] = [await cancelled(0), await cancelled(1)];

    expect(first).toHaveLength(10);
    expect(first).toContain(orderPaths[0]);
    expect(last).toHaveLength(10);
    expect(last).toContain(orderPaths.at(-1));
  });

  it('places checked orders again, so that lists do not grow with its length', async () => {
    const batches = unstoredBatches();
    const ids = new Set<string>();
    const batchCount = 20;

    for (let index = 0; index < batchCount; index++) {
      const batch = await batches.place();
      for (const id of batch.ids) ids.add(id);
      batches.release(batch);
    }

    const all = batches.expectedList(performance.now(), performance.now()).required;
    expect(all.size).toBe(ids.size);
    expect(ids.size).toBeLessThan(1_500);
  });
});
