import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../../lambdas/shared/order-fields.ts';

/** An order to show. Absent fields are undefined, and ids are texts, so that they are exact. */
export type ShownOrder = Readonly<Partial<Record<OrderFieldName, string | number | boolean>>>;

const fields: Readonly<Record<OrderFieldName, OrderField>> = orderFields;
const idNames = orderFieldNames.filter((name) => fields[name].format === 'int64');

/** Matches ids in JSON. It cannot match within a string, because quotes are escaped there. */
const idMember = new RegExp(`("(?:${idNames.join('|')})"\\s*:\\s*)(-?\\d+)`, 'g');

/** Parses a list of orders. @throws SyntaxError when it is not JSON, such as a list that is cut off */
export function parseOrders(text: string): ShownOrder[] {
  return JSON.parse(text.replace(idMember, '$1"$2"'));
}

/** The title of a column: `shipDate` becomes `Ship date`. */
export function columnTitle(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Formats the value of a field for people; empty if the order lacks the field. */
export function shownValue(
  value: string | number | boolean | undefined,
  { format }: OrderField,
): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  return format === 'date-time' ? text.replace('T', ' ').replace('Z', ' UTC') : text;
}
