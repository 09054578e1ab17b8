import { randomBytes } from 'node:crypto';
import { decide } from '../iam/policy.ts';
import { type Role, readFunctionRoles } from '../iam/roles.ts';
import type { Template } from '../template/template.ts';
import { type Permission, requiredPermissions } from './required-permissions.ts';

/** What an AWS client signs its requests with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Why a call was denied. */
export interface Denial {
  /** As DynamoDB words it. */
  readonly message: string;
  /** For the log of the run. */
  readonly logLine: string;
}

/** Who may call DynamoDB in this run: plain data, which can be handed to another thread. */
export interface Identity {
  readonly credentials: Credentials;
  /** What limits it; absent where nothing does. */
  readonly function?: FunctionPermissions;
}

interface FunctionPermissions {
  readonly name: string;
  readonly role: Role;
  /** The ARN of the function's session. */
  readonly userArn: string;
  /** What stands before the name in a table's ARN. */
  readonly tablesArn: string;
}

/** The identities of one run, each with credentials of its own that nobody can guess. */
export interface Identities {
  /** May do everything: the loader of the demo, the operator's commands, tests. */
  readonly operator: Identity;
  /** Of the functions, by their logical ids. */
  readonly functions: ReadonlyMap<string, Identity>;
}

/**
 * @param earlier of the template that this one replaces: who had credentials keeps them
 * @throws TemplateError for a role that is not supported
 */
export function createIdentities(template: Template, earlier?: Identities): Identities {
  const { region, accountId } = template.environment;
  const roles = readFunctionRoles(template, 'dynamodb');
  const functions = template.ofType('AWS::Lambda::Function').map(({ logicalId, ref: name }) => {
    const role = roles.get(logicalId) ?? { name: 'no-role', statements: [] };
    const userArn = `arn:aws:sts::${accountId}:assumed-role/${role.name}/${name}`;
    const tablesArn = `arn:aws:dynamodb:${region}:${accountId}:table/`;
    const identity = {
      credentials: earlier?.functions.get(logicalId)?.credentials ?? createCredentials(),
      function: { name, role, userArn, tablesArn },
    };
    return [logicalId, identity] as const;
  });
  const operator = earlier?.operator ?? { credentials: createCredentials() };
  return { operator, functions: new Map(functions) };
}

/**
 * Why an identity's call is denied; undefined when it is allowed.
 *
 * @param operation such as `UpdateItem`
 */
export function denialOf(
  { function: caller }: Identity,
  operation: string,
  body: Buffer,
): Denial | undefined {
  if (!caller) return undefined;
  const permissions = requiredPermissions(operation, parsed(body), caller.tablesArn);
  for (const permission of permissions) {
    const reason = denialReason(caller.role, permission);
    if (reason) return denial(caller, permission, reason);
  }
  if (permissions.length > 0) return undefined;
  const unclear = { action: `dynamodb:${operation}`, resource: '*' };
  return denial(caller, unclear, 'because the local run cannot tell what the call needs');
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

function denialReason({ statements }: Role, { action, resource }: Permission): string | undefined {
  const decision = decide(statements, action, resource);
  if (decision === 'allow') return undefined;
  return decision === 'explicit-deny'
    ? 'with an explicit deny in an identity-based policy'
    : `because no identity-based policy allows the ${action} action`;
}

function createCredentials(): Credentials {
  return {
    // The identifier alone cannot be guessed either. DynamoDB Local takes letters and digits only.
    accessKeyId: `ASIA${randomBytes(16).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  };
}

/** Undefined when it is no JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
