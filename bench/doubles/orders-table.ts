/** A canned table of orders. All that the canned DynamoDB knows of it stands in its name. */
export interface OrdersTable {
  orders: number;
  ordersPerPage: number;
  /** How long each page is held back. */
  delayMs: number;
  /** Everything lies in segment 0 of a parallel scan, as if there had been only one. */
  isUnsegmented: boolean;
}

/** A scan's page of DynamoDB's own maximum of 1 MB holds about this many orders. */
export const ordersPerFullPage = 8_500;

const namePattern = /^orders_(\d+)_by_(\d+)_in_(\d+)ms(_unsegmented)?$/;

/** The table's name, with defaults for what is left out. */
export function ordersTableName(table: Partial<OrdersTable> & { orders: number }): string {
  const { orders, ordersPerPage = ordersPerFullPage, delayMs = 0, isUnsegmented = false } = table;
  return `orders_${orders}_by_${ordersPerPage}_in_${delayMs}ms${isUnsegmented ? '_unsegmented' : ''}`;
}

/** The table that a name stands for; undefined when it names no table of orders. */
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
