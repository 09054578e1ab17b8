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

/** Who may call DynamoDB in this run. */
export interface Identity {
  readonly credentials: Credentials;
  /** Why a call is denied; undefined when it is allowed. */
  denialOf(operation: string, body: Buffer): Denial | undefined;
}

/** The identities of one run, each with credentials of its own that nobody can guess. */
export interface Identities {
  /** May do everything: the loader of the demo, the operator's commands, tests. */
  readonly operator: Identity;
  /** Of the functions, by their logical ids. */
  readonly functions: ReadonlyMap<string, Identity>;
}

/** @throws TemplateError for a role that is not supported */
export function createIdentities(template: Template): Identities {
  const roles = readFunctionRoles(template, 'dynamodb');
  const functions = template.ofType('AWS::Lambda::Function').map(({ logicalId, ref }) => {
    const role = roles.get(logicalId) ?? { name: 'no-role', statements: [] };
    return [logicalId, functionIdentity(ref, role, template)] as const;
  });
  const operator = { credentials: createCredentials(), denialOf: () => undefined };
  return { operator, functions: new Map(functions) };
}

function functionIdentity(functionName: string, role: Role, template: Template): Identity {
  const { region, accountId } = template.environment;
  const user = `arn:aws:sts::${accountId}:assumed-role/${role.name}/${functionName}`;
  const tablesArn = `arn:aws:dynamodb:${region}:${accountId}:table/`;
  const denial = ({ action, resource }: Permission, reason: string): Denial => ({
    message: `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${reason}`,
    logLine: `${functionName} is not authorized to perform ${action} on ${resource} ${reason}`,
  });
  return {
    credentials: createCredentials(),
    denialOf: (operation, body) => {
      const permissions = requiredPermissions(operation, parsed(body), tablesArn);
      for (const permission of permissions) {
        const reason = denialReason(role, permission);
        if (reason) return denial(permission, reason);
      }
      if (permissions.length > 0) return undefined;
      const unclear = { action: `dynamodb:${operation}`, resource: '*' };
      return denial(unclear, 'because the local run cannot tell what the call needs');
    },
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
