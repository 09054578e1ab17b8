import { randomBytes } from 'node:crypto';
import { isAllowed, type Statement } from '../policy.ts';
import {
  accountId,
  arnOf,
  type Template,
  TemplateError,
  type TemplateResource,
} from '../template.ts';

/** A function as a caller of DynamoDB. */
export interface Caller {
  /** A random id, which is known only in this run. */
  readonly accessKeyId: string;
  /** The reason why the function's role does not allow a call, in DynamoDB's wording; undefined if it allows the call. */
  denialOf(operation: string, tableName: string | undefined): string | undefined;
}

/** The callers by the logical ids of the functions. @throws TemplateError for a policy that is not supported */
export function readCallers(template: Template): Map<string, Caller> {
  const functions = template.ofType('AWS::Lambda::Function');
  return new Map(functions.map((lambda) => [lambda.logicalId, readCaller(lambda, template)]));
}

function readCaller({ ref, property }: TemplateResource, template: Template): Caller {
  const arn = property('Role');
  const role = template.ofType('AWS::IAM::Role').find((each) => each.attribute('Arn') === arn);
  const statements = role ? statementsOf(role, template) : [];
  const user = `arn:aws:sts::${accountId}:assumed-role/${role?.ref}/${ref}`;
  return {
    // Only letters and digits, because DynamoDB Local accepts no other characters.
    accessKeyId: `ASIA${randomBytes(16).toString('hex').toUpperCase()}`,
    denialOf: (operation, tableName) => {
      const action = `dynamodb:${operation}`;
      // A call for several tables, such as a transaction, is allowed only by a statement on all resources.
      const resource = tableName ? arnOf('AWS::DynamoDB::Table', tableName) : '*';
      if (isAllowed(statements, action, resource)) return undefined;
      return (
        `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ` +
        `because no identity-based policy allows the ${action} action`
      );
    },
  };
}

/** The statements of a role's own policies. Managed policies are not known here. */
function statementsOf({ logicalId, ref, property }: TemplateResource, template: Template) {
  const own: { PolicyDocument: { Statement: Statement[] } }[] = property('Policies') ?? [];
  const attached = template
    .ofType('AWS::IAM::Policy')
    .filter((policy) => policy.property('Roles')?.includes(ref));
  const documents = [
    ...own.map(({ PolicyDocument }) => PolicyDocument),
    ...attached.map((policy) => policy.property('PolicyDocument')),
  ];
  const statements = documents.flatMap(({ Statement }) => Statement);
  const conditional = statements.find((statement) => 'Condition' in statement);
  if (conditional) throw new TemplateError(logicalId, 'a condition in a statement');
  return statements;
}
