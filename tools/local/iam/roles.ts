import type { Template, TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import { type PolicyStatement, readStatements } from './policy.ts';

/** A role with its statements about one service. */
export interface Role {
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
}

interface TrustStatement {
  readonly Effect: string;
  readonly Principal: { readonly Service?: string };
}

const lambdaService = 'lambda.amazonaws.com';

/**
 * The roles of a template's functions by the functions' logical ids, with their statements about
 * one service. Functions without a role are left out.
 *
 * @param service the prefix of its actions, such as `dynamodb`
 * @throws TemplateError when a role is not in the template, cannot be assumed by Lambda, or uses
 *   something that is not supported
 */
export function readFunctionRoles(template: Template, service: string): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const lambda of template.ofType('AWS::Lambda::Function')) {
    const arn = lambda.property('Role');
    if (arn === undefined) continue;
    const resource = template
      .ofType('AWS::IAM::Role')
      .find((role) => role.attribute('Arn') === arn);
    if (!resource) throw new TemplateError(lambda.logicalId, `its role ${arn} is not defined here`);
    roles.set(lambda.logicalId, readRole(resource, service));
  }
  return roles;
}

function readRole({ logicalId, ref, property }: TemplateResource, service: string): Role {
  const trust: TrustStatement[] = [property('AssumeRolePolicyDocument')?.Statement ?? []].flat();
  if (!trust.some(trustsLambda)) {
    throw new TemplateError(logicalId, `${lambdaService} may not assume this role of a function`);
  }
  if (property('ManagedPolicyArns') !== undefined) {
    throw new TemplateError(logicalId, 'ManagedPolicyArns of a function is not supported locally');
  }
  const policies: { PolicyDocument: never }[] = property('Policies') ?? [];
  return {
    name: ref,
    statements: policies.flatMap(({ PolicyDocument }) =>
      readStatements(PolicyDocument, service, logicalId),
    ),
  };
}

function trustsLambda({ Effect, Principal }: TrustStatement): boolean {
  return Effect === 'Allow' && Principal.Service === lambdaService;
}
