import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { orderCsv, orderJson } from './order-json.ts';
import { orderFields } from './order-record.ts';
import type { OrdersFormat } from './orders-file.ts';
import type { OrdersTable } from './orders-table.ts';

/**
 * All orders as the text of an orders file that can be imported again, one chunk per page of the
 * table: in constant memory, in no particular order. Orders that change meanwhile come as they are
 * when their page is read.
 *
 * @param onPage told how many orders have been read so far
 */
export async function* exportOrders(
  table: OrdersTable,
  format: OrdersFormat,
  onPage: (orders: number) => void = () => {},
): AsyncGenerator<string> {
  const lineOf = format === 'csv' ? orderCsv : orderJson;
  const separator = format === 'json' ? ',\n' : '\n';
  let count = 0;
  if (format === 'csv') yield orderFields.join(',');
  if (format === 'json') yield '[\n';
  for await (const orders of pages(table)) {
    const isFirstLine = count === 0 && format !== 'csv';
    const text = orders.map((order) => lineOf(order)).join(separator);
    if (orders.length > 0) yield isFirstLine ? text : separator + text;
    count += orders.length;
    onPage(count);
  }
  if (format === 'json') yield '\n]\n';
  else if (count > 0 || format === 'csv') yield '\n';
}

async function* pages({ dynamodb, tableName }: OrdersTable) {
  const scan = paginateScan(
    { client: dynamodb },
    {
      TableName: tableName,
      ProjectionExpression: orderFields.map((field) => `#${field}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(
        orderFields.map((field) => [`#${field}`, field]),
      ),
    },
  );
  for await (const page of scan) yield page.Items ?? [];
}
