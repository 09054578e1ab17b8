/** What a field of an order holds, in the words of the contract. */
export interface OrderField {
  readonly type: keyof typeof attributeTypes;
  readonly format?: 'int64' | 'date-time';
}

/** The type by which DynamoDB holds each of the contract's types. */
export const attributeTypes = { integer: 'N', string: 'S', boolean: 'BOOL' } as const;

/**
 * The fields of an order, in the order in which they are published. The list, the files that
 * operators import and export, and the sample orders are made from this record; the compiler or
 * `test/contract/order-fields.test.ts` names whatever must be changed with it by hand.
 */
export const orderFields = {
  id: { type: 'integer', format: 'int64' },
  petId: { type: 'integer', format: 'int64' },
  quantity: { type: 'integer' },
  shipDate: { type: 'string', format: 'date-time' },
  complete: { type: 'boolean' },
} as const satisfies Readonly<Record<string, OrderField>>;

export type OrderFieldName = keyof typeof orderFields;

export const orderFieldNames = Object.keys(orderFields) as readonly OrderFieldName[];
