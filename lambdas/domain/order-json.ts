import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './item.ts';
import { attributeTypes, isInt64, type OrderField, orderFields } from './order-fields.ts';

/** What comes before the value of a field in the JSON of an order, and of an item. */
export function memberName(name: string): string {
  return `${JSON.stringify(name)}:`;
}

/**
 * The JSON text of an order. Another program may have written the item, so an attribute of another type
 * than its field is left out, like a missing one. Numbers keep DynamoDB's digits, because a JavaScript
 * number loses those of an int64 beyond 2^53.
 *
 * @throws TypeError if the id is not an int64, because an order without its id cannot be listed, and a list
 *   without the order is not complete
 */
export function orderToJson(item: Item): string {
  const members: string[] = [];
  for (const [name, field] of Object.entries(orderFields)) {
    const value = item[name] && valueToJson(item[name], field);
    if (value !== undefined) members.push(memberName(name) + value);
    else if (name === 'id' && item.id !== undefined) {
      throw new TypeError(`An item has an id that is not an int64: ${JSON.stringify(item.id)}`);
    }
  }
  return `{${members.join(',')}}`;
}

/** Undefined for a value that is not of the field's type. */
function valueToJson(attribute: AttributeValue, field: OrderField): string | undefined {
  const value = attribute[attributeTypes[field.type]];
  if (field.type !== 'integer') return JSON.stringify(value);
  const digits = String(value);
  return isInt64(digits) ? digits : undefined;
}
