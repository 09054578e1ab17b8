import { matchesPattern } from '../iam/pattern.ts';

/** The decision of an authorizer's policy on one method. */
type PolicyDecision = 'allow' | 'explicit-deny' | 'implicit-deny';

interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | string[];
  readonly Resource: string | string[];
}

const invokeAction = 'execute-api:invoke';
const statementKeys = new Set(['Sid', 'Effect', 'Action', 'Resource']);

/**
 * Evaluates an authorizer's policy for one method: a `Deny` that matches wins over every `Allow`,
 * and what no statement allows is denied.
 *
 * @param methodArn such as `arn:aws:execute-api:eu-central-1:123456789012:a1b2c3/prod/GET/orders`
 * @throws TypeError when it is not a policy, or has an unsupported element (`Condition`, `Not…`)
 */
export function evaluatePolicy(policy: unknown, methodArn: string): PolicyDecision {
  const statements = statementsOf(policy).filter((statement) => applies(statement, methodArn));
  if (statements.some(({ Effect }) => Effect === 'Deny')) return 'explicit-deny';
  return statements.length > 0 ? 'allow' : 'implicit-deny';
}

function statementsOf(policy: unknown): PolicyStatement[] {
  const { Statement } = (policy ?? {}) as { Statement?: unknown };
  const statements = Array.isArray(Statement) ? Statement : [Statement];
  for (const statement of statements) checkStatement(statement);
  return statements;
}

function checkStatement(statement: unknown): asserts statement is PolicyStatement {
  if (typeof statement !== 'object' || statement === null)
    throw new TypeError('a statement is not an object');
  const { Effect, Action, Resource } = statement as PolicyStatement;
  if (Effect !== 'Allow' && Effect !== 'Deny') throw new TypeError(`Effect: ${Effect}`);
  if (!isTexts(Action) || !isTexts(Resource))
    throw new TypeError('Action or Resource is not a string');
  const unknown = Object.keys(statement).find((key) => !statementKeys.has(key));
  if (unknown) throw new TypeError(`${unknown} is not supported locally`);
}

function isTexts(value: unknown): boolean {
  const values = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every((item) => typeof item === 'string');
}

function applies({ Action, Resource }: PolicyStatement, methodArn: string): boolean {
  return (
    [Action].flat().some((pattern) => matchesPattern(pattern.toLowerCase(), invokeAction)) &&
    [Resource].flat().some((pattern) => matchesPattern(pattern, methodArn))
  );
}
