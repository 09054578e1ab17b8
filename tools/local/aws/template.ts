import { OperatorError } from '../../shared/errors.ts';

/** The Region and the account of everything in a local run. */
export const region = 'us-east-1';
export const accountId = '000000000000';

/** A part of the template that the local run does not support. The message names its logical id. */
export class TemplateError extends OperatorError {
  constructor(logicalId: string, part: string) {
    super(`${logicalId}: ${part} is not supported locally`);
  }
}

export interface TemplateResource {
  readonly logicalId: string;
  readonly type: string;
  /** The value of `Ref`. */
  readonly ref: string;
  /** A property with its intrinsic functions resolved; undefined if it is not set. */
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation properties have hundreds of shapes
  property(name: string): any;
  /** The value of `Fn::GetAtt`. For attributes other than `Arn`, the value is a placeholder. */
  attribute(name: string): string;
}

interface RawTemplate {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Record<string, unknown> }>
  >;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': accountId,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** The resource types that the local run simulates or can ignore, by AWS service. */
const supportedTypes: Readonly<Record<string, RegExp>> = {
  ApiGateway:
    /^(Account|Authorizer|BasePathMapping|Deployment|DomainName|GatewayResponse|Method|Resource|RestApi|Stage|UsagePlan)$/,
  DynamoDB: /^Table$/,
  IAM: /^(Policy|Role)$/,
  Lambda: /^(Alias|Function|Permission|Version)$/,
  CloudWatch: /./,
  CodeDeploy: /./,
  Logs: /./,
  SNS: /./,
  WAFv2: /./,
};

/** A CloudFormation template whose resource types are all supported. */
export type Template = ReturnType<typeof readTemplate>;

/** @throws TemplateError for a resource type that is not supported */
export function readTemplate({ Resources, Outputs = {} }: RawTemplate, stackName: string) {
  const resources = new Map(Object.keys(Resources).map((id) => [id, createResource(id)]));
  const outputs = Object.entries(Outputs).map(([name, { Value }]) => [
    name,
    String(resolve(Value, `output ${name}`)),
  ]);
  return {
    ofType: (type: string) => [...resources.values()].filter((resource) => resource.type === type),
    outputs: Object.fromEntries(outputs) as Record<string, string>,
  };

  function createResource(logicalId: string): TemplateResource {
    const { Type: type, Properties = {} } = Resources[logicalId]!;
    const [, service = '', kind = ''] = type.split('::');
    if (!supportedTypes[service]?.test(kind)) {
      throw new TemplateError(logicalId, `the type ${type} (see ${import.meta.filename})`);
    }
    const name = `${stackName}-${logicalId}`;
    const property = (key: string) => resolve(Properties[key], logicalId);
    return {
      logicalId,
      type,
      // A getter, because a property may refer to a resource that is created later.
      get ref() {
        if (type === 'AWS::ApiGateway::Stage') return String(property('StageName'));
        if (type !== 'AWS::Lambda::Alias') return name;
        return arnOf('AWS::Lambda::Function', `${property('FunctionName')}:${property('Name')}`);
      },
      property,
      attribute: (key) => (key === 'Arn' ? arnOf(type, name) : `${name}.${key}`),
    };
  }

  /**
   * @param owner the logical id that the value belongs to, for error messages
   * @throws TemplateError for a function or a reference that is not supported
   * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
   */
  function resolve(value: unknown, owner: string): unknown {
    if (Array.isArray(value)) return value.map((item) => resolve(item, owner));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? ['', undefined];
    if (name === 'Ref') return pseudoParameters[argument] ?? resourceOf(argument, owner).ref;
    if (name === 'Fn::GetAtt') return resourceOf(argument[0], owner).attribute(argument[1]);
    if (name === 'Fn::Join') return (resolve(argument[1], owner) as string[]).join(argument[0]);
    if (name.startsWith('Fn::')) throw new TemplateError(owner, `the function ${name}`);
    return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, owner)]));
  }

  function resourceOf(logicalId: string, owner: string): TemplateResource {
    const found = resources.get(logicalId);
    if (!found) throw new TemplateError(owner, `a reference to ${logicalId}`);
    return found;
  }
}

/** Such as `arn:aws:dynamodb:us-east-1:000000000000:table/Small-Orders`. */
export function arnOf(type: string, name: string): string {
  const [, service, kind] = type.toLowerCase().split('::');
  const separator = service === 'lambda' ? ':' : '/';
  return `arn:aws:${service}:${region}:${accountId}:${kind}${separator}${name}`;
}
