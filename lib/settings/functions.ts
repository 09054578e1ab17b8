/**
 * The source file of each function's handler, by function name. For everything else that a function
 * needs, the compiler or a test of `test/contract/` names what is missing.
 */
export const handlerEntries = {
  authorizer: 'lambdas/authorizer.ts',
  listOrders: 'lambdas/list-orders.ts',
  cancelOrder: 'lambdas/cancel-order.ts',
} as const;

export type FunctionName = keyof typeof handlerEntries;

/** A function that answers an operation of the API, which has the same name. */
export type OperationName = Exclude<FunctionName, 'authorizer'>;

export const functionNames = Object.keys(handlerEntries) as readonly FunctionName[];

/** The maximum size of each bundle in KB of 1,024 bytes, because size slows cold starts down. */
export const bundleLimitsKb: Readonly<Record<FunctionName, number>> = {
  authorizer: 125,
  listOrders: 132,
  cancelOrder: 122,
};
