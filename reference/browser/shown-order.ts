import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';

/** An order as a page shows it; what it lacks is undefined. Ids keep every digit as text. */
export type ShownOrder = Readonly<Partial<Record<OrderFieldName, string | number | boolean>>>;

const idNames = orderFieldNames.filter((name) => formatOf(orderFields[name]) === 'int64');

function formatOf({ format }: OrderField): OrderField['format'] {
  return format;
}

/** Within a JSON string a quote is escaped, so this finds the ids and nothing else. */
const idMember = new RegExp(`("(?:${idNames.join('|')})"\\s*:\\s*)(-?\\d+)`, 'g');

/** `shipDate` as `Ship date`. */
export function columnTitle(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of a field as people read it; nothing where the order lacks it. */
export function shownValue(
  value: string | number | boolean | undefined,
  { format }: OrderField,
): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  return format === 'date-time' ? text.replace('T', ' ').replace('Z', ' UTC') : text;
}

export function parseShownOrder(text: string): ShownOrder {
  return JSON.parse(text.replace(idMember, '$1"$2"'));
}

// A character that Unicode assigns to nobody, so that no text of an order begins with it.
const exactMark = '\uE000';

/** JSON text indented for people, with every digit of the ids; other text as it is. */
export function indentJson(text: string): string {
  try {
    const marked = JSON.parse(text.replace(idMember, `$1"${exactMark}$2"`));
    return JSON.stringify(marked, null, 2).replace(exactId, '$1');
  } catch {
    return text;
  }
}

const exactId = new RegExp(`"${exactMark}(-?\\d+)"`, 'g');
