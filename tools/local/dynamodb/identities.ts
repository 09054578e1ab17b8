import { randomBytes } from 'node:crypto';
import type { Template } from '../template/template.ts';
import { allows, type Role, readRole } from './roles.ts';

/** A caller of DynamoDB in this run. */
export interface Identity {
  /** It is random, and known in this run only. */
  readonly accessKeyId: string;
  /** The permissions of a function; absent for the operator, who may do everything. */
  readonly function?: FunctionPermissions;
}

interface FunctionPermissions {
  readonly role: Role;
  /** The ARN of the function's session. */
  readonly userArn: string;
  /** The part of a table's ARN before the table's name. */
  readonly tablesArn: string;
}

/** The identities of one run. */
export interface Identities {
  /** Used by the demo's loader, the operator's commands and tests. It may do everything. */
  readonly operator: Identity;
  /** The identities of the functions, by their logical ids. */
  readonly functions: ReadonlyMap<string, Identity>;
}

/**
 * Creates an identity for the operator and for each function of a template.
 *
 * @throws TemplateError for a role that is not supported
 */
export function createIdentities(template: Template): Identities {
  const { region, accountId } = template.environment;
  const tablesArn = `arn:aws:dynamodb:${region}:${accountId}:table/`;
  const functions = template.ofType('AWS::Lambda::Function').map((lambda) => {
    const role = readRole(lambda, template);
    const userArn = `arn:aws:sts::${accountId}:assumed-role/${role.name}/${lambda.ref}`;
    const identity = { accessKeyId: newAccessKeyId(), function: { role, userArn, tablesArn } };
    return [lambda.logicalId, identity] as const;
  });
  return { operator: { accessKeyId: newAccessKeyId() }, functions: new Map(functions) };
}

/**
 * Checks a call against the policies of its sender's role. Returns why it is denied, in DynamoDB's
 * wording; undefined when it is allowed. A call that names no single table, such as a transaction or a
 * batch, is denied, because it needs permissions that are not determined here.
 *
 * @param operation the DynamoDB operation, such as `UpdateItem`
 */
export function denialOf(
  { function: caller }: Identity,
  operation: string,
  body: Buffer,
): string | undefined {
  if (!caller) return undefined;
  const action = `dynamodb:${operation}`;
  const table = tableOf(body);
  const resource = table === undefined ? '*' : `${caller.tablesArn}${table}`;
  if (table !== undefined && allows(caller.role, action, resource)) return undefined;
  const reason =
    table === undefined
      ? 'the local run cannot tell what the call needs'
      : `no identity-based policy allows the ${action} action`;
  return `User: ${caller.userArn} is not authorized to perform: ${action} on resource: ${resource} because ${reason}`;
}

/** DynamoDB Local accepts letters and digits only. */
function newAccessKeyId(): string {
  return `ASIA${randomBytes(16).toString('hex').toUpperCase()}`;
}

/** The table that a call names; undefined when there is none, or the body is not JSON. */
function tableOf(body: Buffer): string | undefined {
  try {
    return JSON.parse(body.toString('utf8')).TableName;
  } catch {
    return undefined;
  }
}
