import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { attributeTypes, type OrderField, orderFields } from '../shared/order-fields.ts';
import { isInt64 } from '../shared/order-id.ts';

export type OrderItem = Record<string, AttributeValue>;

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const jsonInteger = /^-?(?:0|[1-9][0-9]*)(?:[eE]\+?[0-9]+)?$/;

/**
 * The JSON text of an order, from an item whose attributes may have any type: the slow path for what
 * `OrderCopier` does not understand. Another program may have written the item, and what it wrote
 * cannot break the contract: an attribute that is not of its field's type is left out, like one that
 * is missing. Numbers keep DynamoDB's digits, because a JavaScript number loses those of an int64
 * beyond 2^53.
 *
 * @throws TypeError for a number that is not one in JSON, and for an id that is no int64: without its
 *   id the order could not be in the list, and a list without it would not be whole
 */
export function orderToJson(item: OrderItem): string {
  if (item.id !== undefined && valueToJson(item.id, orderFields.id) === undefined) {
    throw new TypeError(`An item has an id that is no int64: ${JSON.stringify(item.id)}`);
  }
  return fieldsToJson(item, orderFields);
}

/** Like {@link orderToJson}, with the given fields in the given order, any of which can be left out. */
export function fieldsToJson(
  item: OrderItem,
  fields: Readonly<Record<string, OrderField>>,
): string {
  const members: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = item[name] && valueToJson(item[name], field);
    if (value !== undefined) members.push(`"${name}":${value}`);
  }
  return `{${members.join(',')}}`;
}

/** Undefined for a value that is not of the field's type. */
function valueToJson(attribute: AttributeValue, field: OrderField): string | undefined {
  const value = attribute[attributeTypes[field.type]];
  if (value === undefined) return undefined;
  return field.type === 'integer' ? integerToJson(String(value), field) : JSON.stringify(value);
}

/** DynamoDB's numbers are valid JSON numbers; those of another server might not be. */
function integerToJson(digits: string, { format }: OrderField): string | undefined {
  if (!jsonNumber.test(digits)) throw new TypeError('An attribute is not a number.');
  const isAccepted = format === 'int64' ? isInt64(digits) : jsonInteger.test(digits);
  return isAccepted ? digits : undefined;
}
