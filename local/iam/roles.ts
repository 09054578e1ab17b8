import type { Template, TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import { type PolicyStatement, readStatements } from './policy.ts';

/** A role with its statements about one service. */
export interface Role {
  readonly name: string;
  readonly statements: readonly PolicyStatement[];
}

type Document = { readonly Statement?: unknown };

const lambdaService = 'lambda.amazonaws.com';

// AWS managed policies that grant nothing on DynamoDB tables, according to their public text.
const awsPoliciesWithoutTables = [
  'service-role/AWSLambdaBasicExecutionRole',
  'service-role/AWSLambdaVPCAccessExecutionRole',
  'AWSXRayDaemonWriteAccess',
  'CloudWatchLambdaInsightsExecutionRolePolicy',
];

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
    roles.set(lambda.logicalId, readRole(resource, template, service));
  }
  return roles;
}

function readRole(role: TemplateResource, template: Template, service: string): Role {
  const { logicalId, property } = role;
  checkTrust(property('AssumeRolePolicyDocument'), logicalId);
  if (property('PermissionsBoundary') !== undefined) {
    throw new TemplateError(logicalId, 'a permissions boundary is not supported locally');
  }
  const inline: { PolicyDocument: Document }[] = property('Policies') ?? [];
  return {
    name: role.ref,
    statements: [
      ...inline.flatMap((policy) => readStatements(policy.PolicyDocument, service, logicalId)),
      ...attachedPolicies(role, template).flatMap((policy) =>
        readStatements(policy.property('PolicyDocument'), service, policy.logicalId),
      ),
    ],
  };
}

/** The template's policies that are attached to the role, from either side. */
function attachedPolicies(role: TemplateResource, template: Template): TemplateResource[] {
  const arns: string[] = role.property('ManagedPolicyArns') ?? [];
  const managed = template.ofType('AWS::IAM::ManagedPolicy');
  for (const arn of arns) {
    const isKnown =
      managed.some(({ ref }) => ref === arn) ||
      awsPoliciesWithoutTables.some((name) => arn.endsWith(`:iam::aws:policy/${name}`));
    if (!isKnown) {
      throw new TemplateError(role.logicalId, `what ${arn} allows is not known locally`);
    }
  }
  const policies = [...template.ofType('AWS::IAM::Policy'), ...managed];
  return policies.filter(
    (policy) => policy.property('Roles')?.includes(role.ref) || arns.includes(policy.ref),
  );
}

function checkTrust(document: Document | undefined, logicalId: string): void {
  const statements = [document?.Statement ?? []].flat() as {
    Effect?: string;
    Principal?: { Service?: string | string[] };
  }[];
  const isTrusted = statements.some(
    ({ Effect, Principal }) =>
      Effect === 'Allow' && [Principal?.Service].flat().includes(lambdaService),
  );
  if (!isTrusted) {
    throw new TemplateError(logicalId, `${lambdaService} may not assume this role of a function`);
  }
}
