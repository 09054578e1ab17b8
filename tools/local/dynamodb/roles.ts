import { TemplateError } from '../errors.ts';
import type { Template, TemplateResource } from '../template/template.ts';

/** A role with what its policies allow. Whatever they do not allow is denied. */
export interface Role {
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
}

interface PolicyStatement {
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
 * The role of a function.
 *
 * @throws TemplateError when it is not in the template, cannot be assumed by Lambda, or uses something
 *   that is not supported
 */
export function readRole(lambda: TemplateResource, template: Template): Role {
  const arn = lambda.property('Role');
  const found = template.ofType('AWS::IAM::Role').find((role) => role.attribute('Arn') === arn);
  if (!found) throw new TemplateError(lambda.logicalId, `its role ${arn} is not defined here`);
  const { logicalId, ref, property } = found;
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

/** Whether a role's policies allow an action on a resource. */
export function allows({ statements }: Role, action: string, resource: string): boolean {
  return statements.some(
    ({ actions, resources }) => actions.includes(action) && resources.includes(resource),
  );
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
  const actions = [raw.Action].flat().map(String);
  const resources = [raw.Resource].flat().map(String);
  const pattern = [...actions, ...resources].find((name) => /[*?]/.test(name));
  if (pattern) {
    throw new TemplateError(logicalId, `the pattern ${pattern} in a statement is not supported`);
  }
  return { actions, resources };
}
