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
  assertPlaceholders(input);
  if (!isMet(input, found)) return { item, answer: conditionFailed(input, item) };
  const updated = updatedItem(input, found);
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

/*
 * The part of DynamoDB's expressions that the counters need: comparisons of strings and numbers,
 * BETWEEN, `attribute_exists` and `attribute_not_exists`, NOT, AND, OR, brackets, paths into maps, and
 * SET with a sum. Anything else is an error, and so is a placeholder that is unused or not defined.
 *
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
 */

function assertPlaceholders(input: UpdateItemCommandInput): void {
  const { ExpressionAttributeNames, ExpressionAttributeValues } = input;
  const defined = new Set(
    Object.keys({ ...ExpressionAttributeNames, ...ExpressionAttributeValues }),
  );
  const used = new Set(
    `${input.ConditionExpression} ${input.UpdateExpression}`.match(/[:#]\w+/g) ?? [],
  );
  const wrong = [...used, ...defined].filter((name) => !used.has(name) || !defined.has(name));
  if (wrong.length > 0) throw new Error(`ValidationException: unused or not defined: ${wrong}`);
}

const operand = '([:#\\w.]+)';
const predicate = new RegExp(
  `(attribute(?:_not)?_exists)\\(${operand}\\)|` +
    `${operand} BETWEEN ${operand} AND ${operand}|${operand} ([<>]=?|=) ${operand}`,
  'g',
);

/** Whether an item meets the condition. A comparison with an absent attribute is false. */
function isMet(input: UpdateItemCommandInput, item: Item): boolean {
  const value = (path?: string) => valueAt(item, input, path!);
  const evaluated = (input.ConditionExpression ?? '').replace(predicate, (_, ...parts) => {
    const [existence, path, middle, lower, upper, left, comparison, right] = parts as string[];
    if (existence) return String((existence === 'attribute_exists') === Boolean(value(path)));
    if (comparison) return String(compare(value(left), comparison, value(right)));
    const isBetween =
      compare(value(middle), '>=', value(lower)) && compare(value(middle), '<=', value(upper));
    return String(isBetween);
  });
  const script = evaluated.replace(/NOT/g, '!').replace(/AND/g, '&&').replace(/OR/g, '||');
  if (!/^(true|false|&&|[|]{2}|[!() ])+$/.test(script)) {
    throw new Error(`ValidationException: not supported in a condition: ${evaluated}`);
  }
  return new Function(`return ${script}`)();
}

/** The item after an update. Every right-hand side refers to the item before the update. */
function updatedItem(input: UpdateItemCommandInput, item: Item): Item {
  const assignments = (input.UpdateExpression ?? '').replace(/^SET /, '').split(', ');
  return assignments.reduce((updated, assignment) => {
    const [path, terms] = assignment.split(' = ');
    const values = terms!.split(' + ').map((term) => valueAt(item, input, term));
    return withValue(updated, namesIn(path!, input), sum(values));
  }, item);
}

function sum(values: (AttributeValue | undefined)[]): AttributeValue {
  const [first] = values;
  if (first && values.length === 1) return first;
  const total = values.reduce((partial, value) => partial + Number(value?.N), 0);
  if (Number.isNaN(total)) throw new Error('ValidationException: the update needs an attribute');
  return { N: String(total) };
}

function namesIn(path: string, { ExpressionAttributeNames }: UpdateItemCommandInput): string[] {
  return path.split('.').map((name) => ExpressionAttributeNames?.[name] ?? name);
}

/** The value of a placeholder, or the one at a path in an item. */
function valueAt(
  item: Item,
  input: UpdateItemCommandInput,
  operand: string,
): AttributeValue | undefined {
  if (operand.startsWith(':')) return input.ExpressionAttributeValues?.[operand];
  return namesIn(operand, input).reduce<AttributeValue | undefined>(
    (value, name) => (value?.M && Object.hasOwn(value.M, name) ? value.M[name] : undefined),
    { M: item },
  );
}

function withValue(item: Item, [name = '', ...rest]: string[], value: AttributeValue): Item {
  if (rest.length === 0) return { ...item, [name]: value };
  const map = item[name]?.M;
  if (!map) throw new Error('ValidationException: the document path is not valid for an update');
  return { ...item, [name]: { M: withValue(map, rest, value) } };
}

function compare(
  left: AttributeValue | undefined,
  comparison: string,
  right: AttributeValue | undefined,
): boolean {
  const [a, b] = [scalar(left), scalar(right)];
  if (a === undefined || b === undefined || typeof a !== typeof b) return false;
  if (a === b) return comparison.includes('=');
  return comparison.startsWith(a < b ? '<' : '>');
}

function scalar(value: AttributeValue | undefined): number | string | undefined {
  return value?.N === undefined ? value?.S : Number(value.N);
}
