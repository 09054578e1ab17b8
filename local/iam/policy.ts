import { TemplateError } from '../template/template-error.ts';
import { matchesArn, matchesPattern } from './pattern.ts';

/** The decision of a role's policies on an action on a resource. */
type PolicyDecision = 'allow' | 'explicit-deny' | 'implicit-deny';

/** A policy statement that applies to actions of the requested service. */
export interface PolicyStatement {
  readonly isAllow: boolean;
  readonly actions: Patterns;
  readonly resources: Patterns;
}

interface Patterns {
  readonly patterns: readonly string[];
  /** Whether the statement applies to what matches none of the patterns. */
  readonly isNot: boolean;
}

interface RawStatement {
  readonly Sid?: string;
  readonly Effect?: unknown;
  readonly Action?: unknown;
  readonly NotAction?: unknown;
  readonly Resource?: unknown;
  readonly NotResource?: unknown;
  readonly Condition?: unknown;
}

const statementKeys = new Set([
  ...['Sid', 'Effect', 'Action', 'NotAction', 'Resource', 'NotResource', 'Condition'],
]);

/**
 * Reads the statements of a policy document about one service.
 *
 * @param service the prefix of its actions, such as `dynamodb`
 * @param logicalId the resource that has the policy, for error messages
 * @throws TemplateError when a statement about the service has a condition, a policy variable, or
 *   another element that is not supported
 */
export function readStatements(
  document: unknown,
  service: string,
  logicalId: string,
): PolicyStatement[] {
  const { Statement } = (document ?? {}) as { Statement?: RawStatement | RawStatement[] };
  return [Statement ?? []]
    .flat()
    .filter((statement) => concernsService(statement, service))
    .map((statement) => readStatement(statement, logicalId));
}

/** A matching `Deny` wins over every `Allow`, and what no statement allows is denied. */
export function decide(
  statements: readonly PolicyStatement[],
  action: string,
  resource: string,
): PolicyDecision {
  const applying = statements.filter(({ actions, resources }) => {
    const name = action.toLowerCase();
    return (
      actions.patterns.some((pattern) => matchesPattern(pattern, name)) !== actions.isNot &&
      resources.patterns.some((pattern) => matchesArn(pattern, resource)) !== resources.isNot
    );
  });
  if (applying.some(({ isAllow }) => !isAllow)) return 'explicit-deny';
  return applying.length > 0 ? 'allow' : 'implicit-deny';
}

function concernsService({ Action, NotAction }: RawStatement, service: string): boolean {
  if (NotAction !== undefined) return true;
  return [Action].flat().some((pattern) => {
    const [prefix] = String(pattern).toLowerCase().split(':') as [string];
    return matchesPattern(prefix, service);
  });
}

function readStatement(raw: RawStatement, logicalId: string): PolicyStatement {
  checkStatement(raw, logicalId);
  const actions = patternsOf(raw, 'Action', logicalId).map((pattern) => pattern.toLowerCase());
  const resources = patternsOf(raw, 'Resource', logicalId);
  checkVariables(resources, logicalId);
  return {
    isAllow: raw.Effect === 'Allow',
    actions: { patterns: actions, isNot: raw.NotAction !== undefined },
    resources: { patterns: resources, isNot: raw.NotResource !== undefined },
  };
}

function checkStatement(raw: RawStatement, logicalId: string): void {
  const { Effect, Condition } = raw;
  if (Effect !== 'Allow' && Effect !== 'Deny') {
    throw new TemplateError(logicalId, `a statement's Effect is ${JSON.stringify(Effect)}`);
  }
  const unknown = Object.keys(raw).find((key) => !statementKeys.has(key));
  if (unknown) throw new TemplateError(logicalId, `${unknown} of a statement is not supported`);
  if (Condition === undefined) return;
  const condition = JSON.stringify(Condition);
  throw new TemplateError(logicalId, `the condition ${condition} is not supported locally`);
}

/** The patterns of `Action` or `NotAction`, or of `Resource` or `NotResource`. */
function patternsOf(raw: RawStatement, name: 'Action' | 'Resource', logicalId: string): string[] {
  const patterns = [raw[name] ?? raw[`Not${name}`]].flat();
  if (patterns.length > 0 && patterns.every((pattern) => typeof pattern === 'string')) {
    return patterns;
  }
  throw new TemplateError(
    logicalId,
    `a statement's ${name} is neither a string nor a list of them`,
  );
}

function checkVariables(resources: readonly string[], logicalId: string): void {
  const variable = resources.join().match(/\$\{[^}]*\}/)?.[0];
  if (!variable) return;
  throw new TemplateError(logicalId, `the policy variable ${variable} is not supported locally`);
}
