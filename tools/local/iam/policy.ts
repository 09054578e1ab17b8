import { TemplateError } from '../template/template-error.ts';
import { matchesArn, matchesPattern } from './pattern.ts';

/** The decision of a role's policies on an action on a resource. */
type PolicyDecision = 'allow' | 'explicit-deny' | 'implicit-deny';

/** A policy statement that applies to actions of the requested service. */
export interface PolicyStatement {
  readonly isAllow: boolean;
  /** Patterns in lower case. */
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

type RawStatement = Readonly<Record<string, unknown>>;

const supportedKeys = new Set(['Sid', 'Effect', 'Action', 'Resource']);

/**
 * Reads the statements of a policy document about one service.
 *
 * @param service the prefix of its actions, such as `dynamodb`
 * @param logicalId the resource that has the policy, for error messages
 * @throws TemplateError when a statement about the service has a condition, a policy variable, or
 *   another element that is not supported
 */
export function readStatements(
  document: { readonly Statement: RawStatement | RawStatement[] },
  service: string,
  logicalId: string,
): PolicyStatement[] {
  return [document.Statement]
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
  const applying = statements.filter(
    ({ actions, resources }) =>
      actions.some((pattern) => matchesPattern(pattern, action.toLowerCase())) &&
      resources.some((pattern) => matchesArn(pattern, resource)),
  );
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
  const unknown = Object.keys(raw).find((key) => !supportedKeys.has(key));
  if (unknown) {
    throw new TemplateError(logicalId, `${unknown} of a statement is not supported locally`);
  }
  const actions = [raw.Action].flat().map((action) => String(action).toLowerCase());
  const resources = [raw.Resource].flat().map(String);
  const variable = resources.join().match(/\$\{[^}]*\}/)?.[0];
  if (variable) {
    throw new TemplateError(logicalId, `the policy variable ${variable} is not supported locally`);
  }
  return { isAllow: raw.Effect === 'Allow', actions, resources };
}
