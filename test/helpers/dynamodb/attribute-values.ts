import type { Item } from '../../../lambdas/contract/item.ts';

export type Value = string | number | undefined;
type Values = { readonly [name: string]: Value | Values };

/** Converts strings, numbers and maps to DynamoDB's own JSON. Leaves out attributes that are undefined. */
export function attributes(values: Values): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number') item[name] = { N: String(value) };
    else if (typeof value === 'string') item[name] = { S: value };
    else if (value !== undefined) item[name] = { M: attributes(value) };
  }
  return item;
}
