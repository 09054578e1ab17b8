import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  BatchExecuteStatementCommand,
  DynamoDBDocumentClient,
  NumberValue,
} from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import {
  type LoadOptions,
  type LoadProgress,
  loadOrders,
} from '../../../admin/orders/load-orders.ts';
import type { OrderItem } from '../../../admin/orders/order-record.ts';
import type { OrderLine } from '../../../admin/orders/orders-file.ts';
import { ordersTable } from '../../../admin/orders/orders-table.ts';
import { BadLineError } from '../../../shared/errors.ts';
import { embeddedDynamoDbOfFile } from '../../helpers/dynamodb/embedded-dynamodb.ts';

const database = embeddedDynamoDbOfFile();

async function* linesOf(orders: (OrderItem | 'bad')[]): AsyncGenerator<OrderLine> {
  for (const [index, order] of orders.entries()) {
    const line = index + 1;
    const end = { offset: line * 10, line: line + 1 };
    if (order === 'bad') yield { line, end, error: new BadLineError(line, 'is no order') };
    else yield { line, end, order };
  }
}

const order = (id: number, quantity = 1): OrderItem => ({
  id: NumberValue.from(id),
  quantity: NumberValue.from(quantity),
  status: 'pending',
});
const manyOrders = (count: number) => Array.from({ length: count }, (_, index) => order(index));

async function optionsFor(options: Partial<LoadOptions> = {}): Promise<LoadOptions> {
  const tableName = options.tableName ?? (await database.createOrdersTable());
  const table = ordersTable(database.dynamodb, tableName);
  const untold = { onBadLine: () => {}, onDifferent: () => {}, onProgress: () => {} };
  const counts = { inserted: 0, alreadyThere: 0, different: 0, rejected: 0 };
  const defaults = { ...table, ...untold, counts, wait: async () => {}, onError: 'stop' as const };
  return { ...defaults, ...options, tableName };
}

describe('loadOrders', () => {
  it('loads every order once, however many there are', async () => {
    const options = await optionsFor();

    const counts = await loadOrders(linesOf(manyOrders(1_003)), options);

    expect(counts).toEqual({ inserted: 1_003, alreadyThere: 0, different: 0, rejected: 0 });
    expect(await database.readAll(options.tableName)).toHaveLength(1_003);
  });

  it('changes nothing when the same orders are loaded again', async () => {
    const options = await optionsFor();
    await loadOrders(linesOf(manyOrders(60)), options);

    const counts = await loadOrders(linesOf(manyOrders(70)), options);

    expect(counts).toEqual({ inserted: 10, alreadyThere: 60, different: 0, rejected: 0 });
  });

  it('stops at a bad line, and waits for what is under way', async () => {
    const options = await optionsFor();
    const loading = loadOrders(linesOf([...manyOrders(30), 'bad', order(99)]), options);

    await expect(loading).rejects.toThrow('line 31: is no order');
    const loaded = await database.readAll(options.tableName);
    expect(loaded).toHaveLength(25);
  });

  it('leaves bad lines out and loads all others when asked to', async () => {
    const told: number[] = [];
    const options = await optionsFor({ onError: 'skip', onBadLine: ({ line }) => told.push(line) });

    const counts = await loadOrders(linesOf(['bad', ...manyOrders(30), 'bad']), options);

    expect(counts).toEqual({ inserted: 30, alreadyThere: 0, different: 0, rejected: 2 });
    expect(told).toEqual([1, 32]);
  });

  it.each([2, 24, 26, 300])(
    'takes the first of two orders with the same id, %i lines apart, as an editor would',
    async (distance) => {
      const told: string[] = [];
      const options = await optionsFor({ onDifferent: (bad) => told.push(bad.message) });
      const between = manyOrders(distance - 1);

      const counts = await loadOrders(
        linesOf([order(-1, 1), ...between, order(-1, 2), order(-1, 1)]),
        options,
      );

      expect(counts).toEqual({ inserted: distance, alreadyThere: 1, different: 1, rejected: 0 });
      expect(told).toEqual([
        `line ${distance + 1}: id: order -1 is in the table already, with other values, and was left as it is`,
      ]);
      const stored = await database.readAll(options.tableName);
      expect(stored.find(({ id }) => id!.N === '-1')!.quantity).toEqual({ N: '1' });
    },
  );

  it('reports progress in the order of the file, without gaps, though batches overtake each other', async () => {
    const mock = mockClient(DynamoDBDocumentClient);
    let underWay = 0;
    let mostUnderWay = 0;
    mock.on(BatchExecuteStatementCommand).callsFake(async ({ Statements }) => {
      underWay++;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      for (let turn = Math.random() * 20; turn > 0; turn--) await nextTurn();
      underWay--;
      return { Responses: Statements.map(() => ({})) };
    });
    const progress: LoadProgress[] = [];
    const onProgress = ({ counts, ...rest }: LoadProgress) =>
      progress.push({ ...rest, counts: { ...counts } });

    await loadOrders(
      linesOf(manyOrders(500)),
      await optionsFor({ tableName: 'Orders', concurrency: 4, onProgress }),
    );
    mock.restore();

    expect(mostUnderWay).toBe(4);
    const batchEnds = Array.from({ length: 20 }, (_, index) => (index + 1) * 25 + 1);
    expect(progress.map(({ end }) => end.line)).toEqual(batchEnds);
    expect(progress.map(({ counts, end }) => counts.inserted === end.line - 1)).not.toContain(
      false,
    );
    expect(progress[0]!.orderId).toBe('24');
  });

  it('goes on beside a batch that is slow, and reports what is behind it when it is done', async () => {
    const mock = mockClient(DynamoDBDocumentClient);
    const slow = Promise.withResolvers<void>();
    let sent = 0;
    mock.on(BatchExecuteStatementCommand).callsFake(async ({ Statements }) => {
      sent++;
      // The first batch is done when all others have been sent.
      if (sent === 20) slow.resolve();
      if (String(Statements[0].Parameters[0]) === '0') await slow.promise;
      return { Responses: Statements.map(() => ({})) };
    });
    const ends: number[] = [];

    const counts = await loadOrders(
      linesOf(manyOrders(500)),
      await optionsFor({
        tableName: 'Orders',
        concurrency: 2,
        onProgress: ({ end }) => ends.push(end.line),
      }),
    );
    mock.restore();

    expect(counts.inserted).toBe(500);
    expect(ends).toEqual(Array.from({ length: 20 }, (_, index) => (index + 1) * 25 + 1));
  });

  it('reports nothing behind a batch that fails, though it is done', async () => {
    const mock = mockClient(DynamoDBDocumentClient);
    mock.on(BatchExecuteStatementCommand).callsFake(async ({ Statements }) => {
      if (String(Statements[0].Parameters[0]) === '25') throw new Error('refused');
      return { Responses: Statements.map(() => ({})) };
    });
    const ends: number[] = [];

    const loading = loadOrders(
      linesOf(manyOrders(500)),
      await optionsFor({ tableName: 'Orders', onProgress: ({ end }) => ends.push(end.line) }),
    );

    await expect(loading).rejects.toThrow('refused');
    mock.restore();
    expect(ends).toEqual([26]);
  });

  it('ends after the batches under way when it is told to', async () => {
    const controller = new AbortController();
    const options = await optionsFor({
      signal: controller.signal,
      concurrency: 2,
      onProgress: () => controller.abort(),
    });

    const counts = await loadOrders(linesOf(manyOrders(10_000)), options);

    expect(counts.inserted).toBeLessThan(500);
    expect(await database.readAll(options.tableName)).toHaveLength(counts.inserted);
  });
});
