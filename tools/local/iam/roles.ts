import { TemplateError } from '../errors.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { matchesArn, matchesPattern } from './pattern.ts';

/** A role with what its policies allow. Whatever they do not allow is denied. */
export interface Role {
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
}

interface PolicyStatement {
  /** Patterns in lower case. */
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}

interface TrustStatement {
  readonly Effect: string;
  readonly Principal: { readonly Service?: string };
}

type RawStatement = Readonly<Record<string, unknown>>;

const lambdaService = 'lambda.amazonaws.com';
const statementKeys = ['Sid', 'Effect', 'Action', 'Resource'];

/**
 * The roles of a template's functions by the functions' logical ids. Functions without a role are
 * left out.
 *
 * @throws TemplateError when a role is not in the template, cannot be assumed by Lambda, or uses
 *   something that is not supported
 */
export function readFunctionRoles(template: Template): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const lambda of template.ofType('AWS::Lambda::Function')) {
    const arn = lambda.property('Role');
    if (arn === undefined) continue;
    const resource = template
      .ofType('AWS::IAM::Role')
      .find((role) => role.attribute('Arn') === arn);
    if (!resource) throw new TemplateError(lambda.logicalId, `its role ${arn} is not defined here`);
    roles.set(lambda.logicalId, readRole(resource));
  }
  return roles;
}

/** Whether a role's policies allow an action on a resource. */
export function allows({ statements }: Role, action: string, resource: string): boolean {
  return statements.some(
    ({ actions, resources }) =>
      actions.some((pattern) => matchesPattern(pattern, action.toLowerCase())) &&
      resources.some((pattern) => matchesArn(pattern, resource)),
  );
}

function readRole({ logicalId, ref, property }: TemplateResource): Role {
  const trust: TrustStatement[] = [property('AssumeRolePolicyDocument')?.Statement ?? []].flat();
  if (!trust.some(trustsLambda)) {
    throw new TemplateError(logicalId, `${lambdaService} may not assume this role of a function`);
  }
  if (property('ManagedPolicyArns') !== undefined) {
    throw new TemplateError(logicalId, 'ManagedPolicyArns of a function is not supported locally');
  }
  const policies: { PolicyDocument: { Statement: RawStatement[] } }[] = property('Policies') ?? [];
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  return { name: ref, statements: statements.map((each) => readStatement(each, logicalId)) };
}

function trustsLambda({ Effect, Principal }: TrustStatement): boolean {
  return Effect === 'Allow' && Principal.Service === lambdaService;
}

function readStatement(raw: RawStatement, logicalId: string): PolicyStatement {
  const unknown = Object.keys(raw).find((key) => !statementKeys.includes(key));
  if (unknown) {
    throw new TemplateError(logicalId, `${unknown} of a statement is not supported locally`);
  }
  if (raw.Effect !== 'Allow') {
    throw new TemplateError(logicalId, `a statement that is no Allow is not supported locally`);
  }
  return {
    actions: [raw.Action].flat().map((action) => String(action).toLowerCase()),
    resources: [raw.Resource].flat().map(String),
  };
}
