import type { Item } from '../../../lambdas/domain/item.ts';
import type { Document } from './expressions.ts';

/** Strings, numbers and maps as DynamoDB has them; without attributes that are undefined. */
export function attributes(values: Document): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'number') item[name] = { N: String(value) };
    else if (typeof value === 'string') item[name] = { S: value };
    else if (value !== undefined) item[name] = { M: attributes(value) };
  }
  return item;
}

/** The reverse of `attributes`. */
export function plain(item: Item): Document {
  const values: Document = {};
  for (const [name, { S, N, M }] of Object.entries(item)) {
    values[name] = M ? plain(M) : N === undefined ? S : Number(N);
  }
  return values;
}
