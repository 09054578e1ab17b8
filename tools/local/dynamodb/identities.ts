import { randomBytes } from 'node:crypto';
import { allows, type Role, readFunctionRoles } from '../iam/roles.ts';
import type { Template } from '../template/template.ts';
import { requiredPermissions } from './required-permissions.ts';

/** The credentials with which an AWS client signs its requests. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A caller of DynamoDB in this run. */
export interface Identity {
  readonly credentials: Credentials;
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
      function: { role, userArn, tablesArn },
    };
    return [logicalId, identity] as const;
  });
  return { operator: { credentials: createCredentials() }, functions: new Map(functions) };
}

/**
 * Checks a call against the policies of its sender's role. Returns why it is denied, in DynamoDB's
 * wording; undefined when it is allowed.
 *
 * @param operation the DynamoDB operation, such as `UpdateItem`
 */
export function denialOf(
  { function: caller }: Identity,
  operation: string,
  body: Buffer,
): string | undefined {
  if (!caller) return undefined;
  const denial = (action: string, resource: string, reason: string) =>
    `User: ${caller.userArn} is not authorized to perform: ${action} on resource: ${resource} because ${reason}`;
  const permissions = requiredPermissions(operation, parsed(body), caller.tablesArn);
  for (const { action, resource } of permissions) {
    if (allows(caller.role, action, resource)) continue;
    return denial(action, resource, `no identity-based policy allows the ${action} action`);
  }
  if (permissions.length > 0) return undefined;
  const unknown = 'the local run cannot tell what the call needs';
  return denial(`dynamodb:${operation}`, '*', unknown);
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
