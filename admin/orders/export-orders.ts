import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { OperatorError } from '../../shared/errors.ts';
import { orderCsv, orderJson } from './order-json.ts';
import { fileFields } from './order-record.ts';
import type { OrdersFormat } from './orders-file.ts';
import type { OrdersTable } from './orders-table.ts';

/**
 * Exports all orders as the text of an orders file that can be imported again, in no particular order.
 * It yields one chunk per page of the table, so that memory stays constant. Each order is exported in
 * the state that it has when its page is read.
 *
 * @param onPage called after each page with the number of orders so far
 * @throws OperatorError when a response of DynamoDB is incomplete
 */
export async function* exportOrders(
  table: OrdersTable,
  format: OrdersFormat,
  onPage: (orders: number) => void = () => {},
): AsyncGenerator<string> {
  const lineOf = format === 'csv' ? orderCsv : orderJson;
  const separator = format === 'json' ? ',\n' : '\n';
  let count = 0;
  if (format === 'csv') yield fileFields.join(',');
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
      ProjectionExpression: fileFields.map((field) => `#${field}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(fileFields.map((field) => [`#${field}`, field])),
    },
  );
  for await (const { Items: orders = [], Count: stated } of scan) {
    // A truncated response can still be valid JSON, and the file would then lack orders unnoticed.
    if (orders.length !== stated) {
      throw new OperatorError(
        `DynamoDB states ${stated ?? 'no number of'} orders and sent ${orders.length}`,
        { remedy: 'run the export again' },
      );
    }
    yield orders;
  }
}
