import { isInt64 } from '../../lambdas/shared/order-id.ts';

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * `JSON.parse` that refuses every number which is not a 64-bit integer in plain digits. The contract
 * has no other numbers, and a rounded or reformatted id shows in its text only.
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
