import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NumberValue, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { exportOrders } from '../../../admin/orders/export-orders.ts';
import type { OrdersFormat } from '../../../admin/orders/orders-file.ts';
import { ordersTable } from '../../../admin/orders/orders-table.ts';

const orderItems = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: NumberValue.from(index + 1) }));

describe('exportOrders', () => {
  it('writes a line for each order of an answer that is whole', async () => {
    const lines = await exported({ Items: orderItems(2), Count: 2 });

    expect(lines).toMatch(/^\{"id":1\}\n\{"id":2\}\n$/);
  });

  it.each(['=HYPERLINK("x")', '+1', '-1+1', '@SUM(1)', '\t=1'])(
    'writes a text that a spreadsheet would run as a text: %j',
    async (shipDate) => {
      const item = { id: NumberValue.from('-5'), quantity: NumberValue.from('-1'), shipDate };

      const csv = await exported({ Items: [item], Count: 1 }, 'csv');

      const cell = `'${shipDate}`;
      const quoted = cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
      expect(csv.split('\n')[1]).toBe(`-5,,-1,${quoted},,`);
    },
  );

  it.each([
    ['is empty', {}, 'DynamoDB states no number of orders and sent 0; run the export again'],
    ['has no orders', { Count: 2 }, 'DynamoDB states 2 orders and sent 0'],
    ['has some of its orders', { Items: orderItems(1), Count: 2 }, 'states 2 orders and sent 1'],
  ])('is not content with an answer that %s', async (_what, answer, message) => {
    await expect(exported(answer)).rejects.toThrow(message);
  });
});

async function exported(answer: object, format: OrdersFormat = 'jsonl'): Promise<string> {
  const table = ordersTable(new DynamoDBClient({ region: 'eu-central-1' }), 'orders');
  mockClient(table.dynamodb).on(ScanCommand).resolves(answer);
  const texts: string[] = [];
  for await (const text of exportOrders(table, format)) {
    texts.push(text);
  }
  return texts.join('');
}
