import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../contract/item.ts';
import { attributeTypes, isValueOf, type OrderField, orderFields } from './order-fields.ts';

/** The text before the value of a field in the JSON of an order or of an item. */
export function memberName(name: string): string {
  return `${JSON.stringify(name)}:`;
}

/**
 * The JSON text of an order. Another program may have written the item, so an attribute is left out if it does not have
 * its field's type or breaks a rule of the field. Numbers keep DynamoDB's digits, because a JavaScript number loses
 * digits of an int64 beyond 2^53.
 *
 * @returns undefined if the id is not an int64. No client can use the id of such an item, so it is not an order
 */
export function orderToJson(item: Item): string | undefined {
  const members: string[] = [];
  for (const [name, field] of Object.entries(orderFields)) {
    const value = item[name] && valueToJson(item[name], field);
    if (value !== undefined) members.push(memberName(name) + value);
    else if (name === 'id') return undefined;
  }
  return `{${members.join(',')}}`;
}

/** Undefined for a value that does not have the field's type or breaks a rule of the field. */
function valueToJson(attribute: AttributeValue, field: OrderField): string | undefined {
  if (!isValueOf(field, attribute)) return undefined;
  const value: unknown = attribute[attributeTypes[field.type]];
  return field.type === 'integer' ? String(value) : JSON.stringify(value);
}
