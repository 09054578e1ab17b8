import { isDeepStrictEqual } from 'node:util';
import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';

/** An item, or a map in it, in plain values. */
// biome-ignore lint/suspicious/noExplicitAny: an attribute can be anything
export type Document = Record<string, any>;

/** The input of an update, in plain values. */
export type Write = Partial<UpdateCommandInput>;

/*
 * The part of DynamoDB's expressions that the authorizer needs. Anything else is an error, and so is a
 * placeholder that is unused or not defined.
 *
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
 */

const operand = '([:#\\w.]+)';
const between = new RegExp(`${operand} BETWEEN ${operand} AND ${operand}`, 'g');
const comparison = new RegExp(`${operand} ([<>]=?|=) ${operand}`, 'g');
const assignment = /^([#\w.]+) = (?:([#\w.]+) \+ )?(:\w+)$/;

/** Whether an item meets a condition. A comparison with an absent attribute is false. */
export function isMet(write: Write, item: Document = {}): boolean {
  assertPlaceholders(write);
  const { ConditionExpression: condition = 'true' } = write;
  const of = (text: string) => operandValue(text, item, write);
  const script = condition
    .replace(between, '($1 >= $2 AND $1 <= $3)')
    .replace(comparison, (_, left, operator, right) =>
      String(compare(of(left), operator, of(right))),
    )
    .replace(/attribute(_not)?_exists\(([#\w.]+)\)/g, (_, not, path) =>
      String((of(path) === undefined) === Boolean(not)),
    )
    .replace(/\bNOT /g, '!')
    .replaceAll(' AND ', '&&')
    .replaceAll(' OR ', '||');
  if (!/^(true|false|&&|[|]{2}|[!()])+$/.test(script)) unsupported(condition);
  return new Function(`return ${script}`)();
}

/** The item after an update. Every right-hand side refers to the item before the update. */
export function updated(write: Write, before: Document = { ...write.Key }): Document {
  const sets = write.UpdateExpression!.replace(/^SET /, '').split(', ');
  return sets.reduce((item, set) => {
    const [, path, counter, value] = assignment.exec(set) ?? unsupported(set);
    const of = (text: string) => operandValue(text, before, write);
    const assigned = counter ? sum(of(counter), of(value!)) : of(value!);
    return withValue(item, namesIn(path!, write), assigned);
  }, before);
}

function assertPlaceholders(write: Write): void {
  const defined = new Set(
    Object.keys({ ...write.ExpressionAttributeNames, ...write.ExpressionAttributeValues }),
  );
  const expressions = `${write.ConditionExpression} ${write.UpdateExpression}`;
  const used = new Set(expressions.match(/[:#]\w+/g));
  const wrong = [...used, ...defined].filter((name) => !used.has(name) || !defined.has(name));
  if (wrong.length > 0) throw new Error(`ValidationException: unused or not defined: ${wrong}`);
}

/** The value of a placeholder, or the one at a path in an item. */
function operandValue(text: string, item: Document, write: Write) {
  if (text.startsWith(':')) return write.ExpressionAttributeValues![text];
  return namesIn(text, write).reduce<Document | undefined>(
    (map = {}, name) => (Object.hasOwn(map, name) ? map[name] : undefined),
    item,
  );
}

function namesIn(path: string, { ExpressionAttributeNames: names }: Write): string[] {
  return path.split('.').map((name) => names?.[name] ?? name);
}

// biome-ignore lint/suspicious/noExplicitAny: an attribute can be anything
function compare(left: any, operator: string, right: any): boolean {
  if (left === undefined || typeof left !== typeof right) return false;
  if (isDeepStrictEqual(left, right)) return operator.includes('=');
  return operator.startsWith(left < right ? '<' : '>');
}

function sum(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  throw new Error('ValidationException: the update needs a number');
}

function withValue(map: Document, [name = '', ...rest]: string[], value: unknown): Document {
  if (typeof map !== 'object') {
    throw new Error('ValidationException: the document path is not valid for an update');
  }
  return { ...map, [name]: rest.length > 0 ? withValue(map[name], rest, value) : value };
}

function unsupported(expression: string): never {
  throw new Error(`not supported in an expression: ${expression}`);
}
