import { randomBytes } from 'node:crypto';
import { TemplateError, unsupported } from '../errors.ts';
import type { Template, TemplateResource } from '../template/template.ts';

/** A caller of DynamoDB. */
export interface Identity {
  /** A random id, which is known only in this run. */
  readonly accessKeyId: string;
  /** Absent for the operator, who may do everything. */
  readonly function?: {
    /** The ARN of the function's session. */
    readonly userArn: string;
    /** The part of a table's ARN before the table's name. */
    readonly tablesArn: string;
    /** Each action with each resource on which the function's role allows it. Everything else is denied. */
    readonly allowed: ReadonlySet<string>;
  };
}

/** The identities of one run. */
export interface Identities {
  readonly operator: Identity;
  /** By logical id. */
  readonly functions: ReadonlyMap<string, Identity>;
}

type Statement = Readonly<Record<string, unknown>>;

/** @throws TemplateError if a function's role is missing or not supported */
export function createIdentities(template: Template): Identities {
  const { region, accountId } = template.environment;
  const tablesArn = `arn:aws:dynamodb:${region}:${accountId}:table/`;
  const functions = template.ofType('AWS::Lambda::Function').map((lambda) => {
    const role = roleOf(lambda, template);
    const userArn = `arn:aws:sts::${accountId}:assumed-role/${role.ref}/${lambda.ref}`;
    const permissions = { userArn, tablesArn, allowed: allowedBy(role, template) };
    return [lambda.logicalId, { accessKeyId: newAccessKeyId(), function: permissions }] as const;
  });
  return { operator: { accessKeyId: newAccessKeyId() }, functions: new Map(functions) };
}

/**
 * The reason why the sender's role does not allow a call, in DynamoDB's wording; undefined if the role allows it. A
 * call that does not name exactly one table, such as a transaction, is denied: its permissions are not determined here.
 */
export function denialOf(
  { function: caller }: Identity,
  operation: string,
  body: Buffer,
): string | undefined {
  if (!caller) return undefined;
  const action = `dynamodb:${operation}`;
  const table: string | undefined = JSON.parse(body.toString()).TableName;
  const resource = table === undefined ? '*' : `${caller.tablesArn}${table}`;
  if (caller.allowed.has(`${action} ${resource}`)) return undefined;
  const reason =
    table === undefined
      ? 'the local run cannot tell what the call needs'
      : `no identity-based policy allows the ${action} action`;
  return `User: ${caller.userArn} is not authorized to perform: ${action} on resource: ${resource} because ${reason}`;
}

/** A random id of letters and digits, because DynamoDB Local accepts no other characters. */
function newAccessKeyId(): string {
  return `ASIA${randomBytes(16).toString('hex').toUpperCase()}`;
}

function roleOf(lambda: TemplateResource, template: Template): TemplateResource {
  const arn = lambda.property('Role');
  const role = template.ofType('AWS::IAM::Role').find((each) => each.attribute('Arn') === arn);
  if (role) return role;
  throw new TemplateError(lambda.logicalId, `its role ${arn} is not in the template`);
}

function allowedBy({ logicalId, ref, property }: TemplateResource, template: Template) {
  if (property('ManagedPolicyArns') !== undefined) {
    throw unsupported(logicalId, 'ManagedPolicyArns of a function');
  }
  const own = [...(property('Policies') ?? [])].map(({ PolicyDocument }) => PolicyDocument);
  const attached = template
    .ofType('AWS::IAM::Policy')
    .filter((policy) => policy.property('Roles').includes(ref))
    .map((policy) => policy.property('PolicyDocument'));
  const statements: Statement[] = [...own, ...attached].flatMap(({ Statement }) => Statement);
  return new Set(statements.flatMap((statement) => readStatement(statement, logicalId)));
}

/** Each action of a statement with each of its resources. Empty if all actions are actions of other services. */
function readStatement(statement: Statement, logicalId: string): string[] {
  const actions = [statement.Action].flat().map(String);
  // Actions of other services, such as CloudWatch Logs, have no effect here.
  if (actions.every((action) => /^(?!dynamodb:)[\w-]+:/.test(action))) return [];
  const { Sid: _, Action: _actions, Effect, Resource: _resources, ...others } = statement;
  const [other] = Effect === 'Allow' ? Object.keys(others) : [`Effect ${Effect}`];
  if (other !== undefined) throw unsupported(logicalId, `${other} in a statement`);
  const resources = [statement.Resource].flat().map(String);
  // Refused, because a statement on `*` would also allow calls whose table is not determined here.
  const pattern = [...actions, ...resources].find((name) => /[*?]/.test(name));
  if (pattern) {
    throw unsupported(logicalId, `the pattern ${pattern} in a statement`);
  }
  return actions.flatMap((action) => resources.map((resource) => `${action} ${resource}`));
}
