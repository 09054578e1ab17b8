/** A value of a metric over one period; `undefined` where there is no data. */
export type Value = number | undefined;

type Variables = Readonly<Record<string, Value>>;

const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '>': (left, right) => Number(left > right),
  '<': (left, right) => Number(left < right),
  '>=': (left, right) => Number(left >= right),
  '<=': (left, right) => Number(left <= right),
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
};

/** The binary operators, from the lowest to the highest precedence. */
const levels = [
  ['>', '<', '>=', '<=', '==', '!='],
  ['+', '-'],
  ['*', '/'],
];

/**
 * The part of CloudWatch's metric maths that the alarms use: numbers, metrics, arithmetic,
 * comparison, and `IF(condition, then, else)`. Where a metric has no data, neither has the result,
 * nor has a division by zero.
 *
 * @throws Error for anything else, so that no expression is evaluated wrongly
 */
export function evaluateMetricMath(expression: string, variables: Variables): Value {
  const tokens = expression.match(/\d+(\.\d+)?|\w+|[<>=!]=|[^\s]/g) ?? [];
  const parser = new Parser(tokens, variables);
  const value = parser.binary(0);
  if (!parser.isAtEnd()) throw new Error(`Not understood: ${expression}`);
  return value;
}

class Parser {
  private position = 0;
  private readonly tokens: readonly string[];
  private readonly variables: Variables;

  constructor(tokens: readonly string[], variables: Variables) {
    this.tokens = tokens;
    this.variables = variables;
  }

  isAtEnd(): boolean {
    return this.position === this.tokens.length;
  }

  binary(level: number): Value {
    const own = levels[level];
    if (!own) return this.operand();
    let left = this.binary(level + 1);
    while (own.includes(this.tokens[this.position] ?? '')) {
      const operator = operators[this.take()]!;
      left = finite(left, this.binary(level + 1), operator);
    }
    return left;
  }

  private operand(): Value {
    const token = this.take();
    if (/^\d/.test(token)) return Number(token);
    if (token === '(') return this.closed(this.binary(0));
    if (token === 'IF') return this.condition();
    if (!Object.hasOwn(this.variables, token)) throw new Error(`There is no metric ${token}`);
    return this.variables[token];
  }

  private condition(): Value {
    this.expect('(');
    const condition = this.binary(0);
    this.expect(',');
    const then = this.binary(0);
    this.expect(',');
    const otherwise = this.closed(this.binary(0));
    if (condition === undefined) return undefined;
    return condition !== 0 ? then : otherwise;
  }

  private closed(value: Value): Value {
    this.expect(')');
    return value;
  }

  private expect(token: string): void {
    const found = this.take();
    if (found !== token) throw new Error(`Expected ${token} and found ${found}`);
  }

  private take(): string {
    return this.tokens[this.position++] ?? 'the end';
  }
}

function finite(left: Value, right: Value, operator: (left: number, right: number) => number) {
  if (left === undefined || right === undefined) return undefined;
  const value = operator(left, right);
  return Number.isFinite(value) ? value : undefined;
}
