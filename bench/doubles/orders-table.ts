/** The parameters of a canned table of orders, which are encoded in the name of the table. */
export interface OrdersTable {
  orders: number;
  ordersPerPage: number;
  /** The delay of each page in milliseconds. */
  delayMs: number;
  /** Whether all orders are in segment 0 of a parallel scan, which makes the scan sequential. */
  isUnsegmented: boolean;
}

/** The approximate number of orders in a page of 1 MB, DynamoDB's maximum for a `Scan`. */
export const ordersPerFullPage = 8_500;

const namePattern = /^orders_(\d+)_by_(\d+)_in_(\d+)ms(_unsegmented)?$/;

/** The name of a table. Parameters without a value have their defaults. */
export function ordersTableName(table: Partial<OrdersTable> & { orders: number }): string {
  const { orders, ordersPerPage = ordersPerFullPage, delayMs = 0, isUnsegmented = false } = table;
  return `orders_${orders}_by_${ordersPerPage}_in_${delayMs}ms${isUnsegmented ? '_unsegmented' : ''}`;
}

/** The parameters in a table's name; undefined if it is not the name of a canned table of orders. */
export function parseOrdersTableName(name: string): OrdersTable | undefined {
  const match = namePattern.exec(name);
  if (!match) return undefined;
  const [, orders, ordersPerPage, delayMs, unsegmented] = match;
  return {
    orders: Number(orders),
    ordersPerPage: Number(ordersPerPage),
    delayMs: Number(delayMs),
    isUnsegmented: unsegmented !== undefined,
  };
}
