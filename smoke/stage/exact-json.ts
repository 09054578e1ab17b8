import { isInt64 } from '../../lambdas/shared/order-id.ts';

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Parses JSON and refuses every number that is not written as the digits of a 64-bit integer. The
 * contract has no other numbers, and only the text shows whether an id was rounded or reformatted.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, refuseInexactNumber as (key: string, value: unknown) => unknown);
}

const refuseInexactNumber: Reviver = (_key, value, context) => {
  if (typeof value === 'number' && !isInt64(context.source ?? '')) {
    throw new SyntaxError(`holds ${context.source}, which is no 64-bit integer`);
  }
  return value;
};
