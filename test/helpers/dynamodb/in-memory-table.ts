import {
  type AttributeValue,
  ConditionalCheckFailedException,
  GetItemCommand,
  type UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;
export type Command = GetItemCommand | UpdateItemCommand;

/**
 * A table with the partition key `ownerHash` that supports only `GetItem` and `UpdateItem`. Like
 * DynamoDB for a single item, it executes them one after the other. Responses are asynchronous, so
 * that requests interleave.
 */
export class InMemoryTable {
  readonly items = new Map<string, Item>();

  /** Puts an item without a condition. */
  put(item: Item): void {
    this.items.set(item.ownerHash?.S ?? '', item);
  }

  async send(command: Command) {
    await Promise.resolve();
    const { item, answer } = execute(
      this.items.get(command.input.Key?.ownerHash?.S ?? ''),
      command,
    );
    if (item) this.put(item);
    await Promise.resolve();
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

/** What a command leads to: the item after it, and the answer or the error of a failed condition. */
export interface Execution {
  item: Item | undefined;
  answer: { Item?: Item; Attributes?: Item } | ConditionalCheckFailedException;
}

/** Executes a command on an item, which is undefined if there is none. */
export function execute(item: Item | undefined, command: Command): Execution {
  if (command instanceof GetItemCommand) return { item, answer: item ? { Item: item } : {} };
  const { input } = command;
  const found = item ?? { ...input.Key };
  const expressions = new Expressions({
    names: input.ExpressionAttributeNames ?? {},
    values: input.ExpressionAttributeValues ?? {},
  });
  const isMet = expressions.isMet(input.ConditionExpression ?? '', found);
  if (!isMet) return { item, answer: conditionFailed(input, item) };
  const updated = expressions.updated(input.UpdateExpression ?? '', found);
  expressions.assertAllUsed();
  return { item: updated, answer: input.ReturnValues === 'ALL_NEW' ? { Attributes: updated } : {} };
}

function conditionFailed(
  { ReturnValuesOnConditionCheckFailure }: UpdateItemCommandInput,
  Item: Item | undefined,
): ConditionalCheckFailedException {
  return new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: {},
    ...(ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && Item && { Item }),
  });
}

interface Placeholders {
  names: Record<string, string>;
  values: Item;
}

type Operand = (item: Item) => AttributeValue | undefined;
type Condition = (item: Item) => boolean;

const comparisons: Record<string, (left: number | string, right: number | string) => boolean> = {
  '=': (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/**
 * Evaluates the part of DynamoDB's expressions that the counters need: comparisons of strings and
 * numbers, BETWEEN, `attribute_exists` and `attribute_not_exists`, NOT, AND, OR, brackets, paths
 * into maps, and SET with a sum. Anything else is an error, and so is an unused placeholder.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
 */
class Expressions {
  readonly #placeholders: Placeholders;
  readonly #unused: Set<string>;
  #tokens: string[] = [];

  constructor(placeholders: Placeholders) {
    this.#placeholders = placeholders;
    this.#unused = new Set([
      ...Object.keys(placeholders.names),
      ...Object.keys(placeholders.values),
    ]);
  }

  /** Whether an item meets a condition. A comparison with an absent attribute is false. */
  isMet(condition: string, item: Item): boolean {
    return this.#parse(condition, () => this.#or())(item);
  }

  /** The item after an update. Every right-hand side refers to the item before the update. */
  updated(update: string, item: Item): Item {
    const assignments = this.#parse(update, () => this.#assignments());
    let updated = item;
    for (const [path, value] of assignments) {
      const result = value(item);
      if (!result) throw new Error('ValidationException: the expression needs an attribute');
      updated = withValue(updated, path, result);
    }
    return updated;
  }

  assertAllUsed(): void {
    if (this.#unused.size === 0) return;
    throw new Error(`ValidationException: unused in expressions: ${[...this.#unused]}`);
  }

  #parse<Result>(text: string, rule: () => Result): Result {
    this.#tokens = text.match(/<=|>=|[:#]?\w+|\S/g) ?? [];
    const result = rule();
    if (this.#tokens.length > 0) throw new Error(`ValidationException: at ${this.#tokens[0]}`);
    return result;
  }

  #or(): Condition {
    const parts = this.#list('OR', () => this.#and());
    return (item) => parts.some((part) => part(item));
  }

  #and(): Condition {
    const parts = this.#list('AND', () => this.#not());
    return (item) => parts.every((part) => part(item));
  }

  #not(): Condition {
    if (!this.#accept('NOT')) return this.#term();
    const negated = this.#not();
    return (item) => !negated(item);
  }

  #term(): Condition {
    if (this.#accept('(')) {
      const inner = this.#or();
      this.#expect(')');
      return inner;
    }
    if (this.#accept('attribute_exists')) return this.#existence(true);
    if (this.#accept('attribute_not_exists')) return this.#existence(false);
    return this.#comparison();
  }

  #existence(isExpected: boolean): Condition {
    this.#expect('(');
    const path = this.#path();
    this.#expect(')');
    return (item) => (valueAt(item, path) !== undefined) === isExpected;
  }

  #comparison(): Condition {
    const left = this.#operand();
    if (this.#accept('BETWEEN')) return this.#between(left);
    const compare = comparisons[this.#next()];
    if (!compare) throw new Error('ValidationException: no such comparison');
    return compared(left, this.#operand(), compare);
  }

  #between(middle: Operand): Condition {
    const lower = this.#operand();
    this.#expect('AND');
    const upper = this.#operand();
    const isAbove = compared(middle, lower, (a, b) => a >= b);
    const isBelow = compared(middle, upper, (a, b) => a <= b);
    return (item) => isAbove(item) && isBelow(item);
  }

  #assignments(): [path: string[], value: Operand][] {
    this.#expect('SET');
    return this.#list(',', () => {
      const path = this.#path();
      this.#expect('=');
      const terms = this.#list('+', () => this.#operand());
      return [path, terms.length === 1 ? terms[0]! : sum(terms)];
    });
  }

  #operand(): Operand {
    if (!this.#tokens[0]?.startsWith(':')) {
      const path = this.#path();
      return (item) => valueAt(item, path);
    }
    const value = this.#placeholder(this.#placeholders.values);
    return () => value;
  }

  #path(): string[] {
    return this.#list('.', () => this.#name());
  }

  #name(): string {
    if (this.#tokens[0]?.startsWith('#')) return this.#placeholder(this.#placeholders.names);
    return this.#next();
  }

  #placeholder<Value>(defined: Record<string, Value>): Value {
    const placeholder = this.#next();
    const value = defined[placeholder];
    if (value === undefined) throw new Error(`ValidationException: ${placeholder} is not defined`);
    this.#unused.delete(placeholder);
    return value;
  }

  #list<Part>(separator: string, rule: () => Part): Part[] {
    const parts = [rule()];
    while (this.#accept(separator)) parts.push(rule());
    return parts;
  }

  #accept(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  #expect(token: string): void {
    if (!this.#accept(token)) throw new Error(`ValidationException: ${token} is missing`);
  }

  #next(): string {
    const token = this.#tokens.shift();
    if (token === undefined) throw new Error('ValidationException: the expression ends early');
    return token;
  }
}

function valueAt(item: Item, [name = '', ...rest]: string[]): AttributeValue | undefined {
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  return rest.length === 0 ? value : value?.M && valueAt(value.M, rest);
}

function withValue(item: Item, [name = '', ...rest]: string[], value: AttributeValue): Item {
  if (rest.length === 0) return { ...item, [name]: value };
  const map = item[name]?.M;
  if (!map) throw new Error('ValidationException: the document path is not valid for an update');
  return { ...item, [name]: { M: withValue(map, rest, value) } };
}

function compared(
  left: Operand,
  right: Operand,
  compare: (left: number | string, right: number | string) => boolean,
): Condition {
  return (item) => {
    const [a, b] = [scalar(left(item)), scalar(right(item))];
    return a !== undefined && b !== undefined && typeof a === typeof b && compare(a, b);
  };
}

function scalar(value: AttributeValue | undefined): number | string | undefined {
  return value?.N === undefined ? value?.S : Number(value.N);
}

function sum(terms: Operand[]): Operand {
  return (item) => {
    const values = terms.map((term) => term(item)?.N);
    if (values.includes(undefined)) return undefined;
    return { N: String(values.reduce((total, value) => total + Number(value), 0)) };
  };
}
