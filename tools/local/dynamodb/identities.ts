import { randomBytes } from 'node:crypto';
import { allows, type Role, readFunctionRoles } from '../iam/roles.ts';
import type { Template } from '../template/template.ts';
import { type Permission, requiredPermissions } from './required-permissions.ts';

/** The credentials with which an AWS client signs its requests. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The denial of a call. */
interface Denial {
  /** The message in DynamoDB's wording, for the caller. */
  readonly message: string;
  /** The line for the log of the run. */
  readonly logLine: string;
}

/** A caller of DynamoDB in this run. */
export interface Identity {
  readonly credentials: Credentials;
  /** The permissions of a function; absent for the operator, who may do everything. */
  readonly function?: FunctionPermissions;
}

interface FunctionPermissions {
  readonly name: string;
  readonly role: Role;
  /** The ARN of the function's session. */
  readonly userArn: string;
  /** The part of a table's ARN before the table's name. */
  readonly tablesArn: string;
}

/** The identities of one run, each with a random access key id of its own. */
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
  const roles = readFunctionRoles(template);
  const functions = template.ofType('AWS::Lambda::Function').map(({ logicalId, ref: name }) => {
    const role = roles.get(logicalId) ?? { name: 'no-role', statements: [] };
    const userArn = `arn:aws:sts::${accountId}:assumed-role/${role.name}/${name}`;
    const tablesArn = `arn:aws:dynamodb:${region}:${accountId}:table/`;
    const identity = {
      credentials: createCredentials(),
      function: { name, role, userArn, tablesArn },
    };
    return [logicalId, identity] as const;
  });
  return { operator: { credentials: createCredentials() }, functions: new Map(functions) };
}

/**
 * Checks a call against the policies of its sender's role; undefined when it is allowed.
 *
 * @param operation the DynamoDB operation, such as `UpdateItem`
 */
export function denialOf(
  { function: caller }: Identity,
  operation: string,
  body: Buffer,
): Denial | undefined {
  if (!caller) return undefined;
  const permissions = requiredPermissions(operation, parsed(body), caller.tablesArn);
  for (const permission of permissions) {
    const { action, resource } = permission;
    if (allows(caller.role, action, resource)) continue;
    const reason = `because no identity-based policy allows the ${action} action`;
    return denial(caller, permission, reason);
  }
  if (permissions.length > 0) return undefined;
  const unknown = { action: `dynamodb:${operation}`, resource: '*' };
  return denial(caller, unknown, 'because the local run cannot tell what the call needs');
}

function denial(
  { name, userArn }: FunctionPermissions,
  { action, resource }: Permission,
  reason: string,
): Denial {
  return {
    message: `User: ${userArn} is not authorized to perform: ${action} on resource: ${resource} ${reason}`,
    logLine: `${name} is not authorized to perform ${action} on ${resource} ${reason}`,
  };
}

function createCredentials(): Credentials {
  return {
    // DynamoDB Local accepts letters and digits only.
    accessKeyId: `ASIA${randomBytes(16).toString('hex').toUpperCase()}`,
    // Nobody verifies a signature, for which the SDK needs a secret all the same.
    secretAccessKey: 'local',
  };
}

/** Parses a body; undefined when it is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
