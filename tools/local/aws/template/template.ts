import { readFileSync } from 'node:fs';
import { unsupported } from '../errors.ts';
import {
  physicalName,
  placeholderArn,
  type ResourceIdentity,
  supportedTypes,
  type TemplateEnvironment,
  typesWithoutEffect,
} from './resource-types.ts';

export interface TemplateResource {
  readonly logicalId: string;
  readonly type: string;
  /** The value of `Ref`. */
  readonly ref: string;
  /** A property with its intrinsic functions resolved; undefined if it is not set. */
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation properties have hundreds of shapes
  property(name: string): any;
  /** The value of `Fn::GetAtt`; undefined if the type has no such attribute. */
  attribute(name: string): string | undefined;
}

interface RawResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
}

interface RawTemplate {
  readonly Resources: Readonly<Record<string, RawResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** A CloudFormation template whose resource types are all supported. */
export class Template {
  readonly environment: TemplateEnvironment;
  readonly #raw: RawTemplate;
  readonly #pseudoParameters: Readonly<Record<string, string>>;
  readonly #resources = new Map<string, TemplateResource>();

  /** @throws TemplateError for a resource type that is not supported */
  constructor(raw: unknown, environment: TemplateEnvironment) {
    this.#raw = raw as RawTemplate;
    this.environment = environment;
    this.#pseudoParameters = {
      'AWS::AccountId': environment.accountId,
      'AWS::Partition': 'aws',
      'AWS::Region': environment.region,
      'AWS::StackName': environment.stackName,
      'AWS::URLSuffix': 'amazonaws.com',
    };
    for (const [logicalId, resource] of Object.entries(this.#raw.Resources)) {
      checkResource(logicalId, resource);
      this.#resources.set(logicalId, this.#createResource(logicalId, resource));
    }
  }

  ofType(type: string): TemplateResource[] {
    return [...this.#resources.values()].filter((resource) => resource.type === type);
  }

  outputs(): Record<string, string> {
    const outputs = Object.entries(this.#raw.Outputs ?? {}).map(([name, { Value }]) => [
      name,
      String(this.#resolve(Value, `output ${name}`)),
    ]);
    return Object.fromEntries(outputs);
  }

  #createResource(logicalId: string, { Type, Properties = {} }: RawResource): TemplateResource {
    const property = (name: string) => this.#resolve(Properties[name], logicalId);
    const identity: ResourceIdentity = { ...this.environment, logicalId, property };
    const type = supportedTypes[Type];
    return {
      logicalId,
      type: Type,
      // A getter, because a property may refer to a resource that is created later.
      get ref() {
        return type?.ref?.(identity) ?? physicalName(identity);
      },
      property,
      attribute: (attribute) =>
        type ? type.attributes?.[attribute]?.(identity) : placeholderArn(identity),
    };
  }

  /**
   * @param owner the logical id that the value belongs to, for error messages
   * @throws TemplateError for a function, a reference or a dynamic reference that is not supported
   * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
   */
  #resolve(value: unknown, owner: string): unknown {
    const resolve = (item: unknown) => this.#resolve(item, owner);
    if (typeof value === 'string' && value.includes('{{resolve:')) {
      throw unsupported(owner, `the dynamic reference ${value}`);
    }
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? ['', undefined];
    if (entries.length > 1 || !(name === 'Ref' || name.startsWith('Fn::'))) {
      return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item)]));
    }
    switch (name) {
      case 'Ref': {
        const found = this.#pseudoParameters[argument] ?? this.#resources.get(argument)?.ref;
        return required(found, argument, owner);
      }
      case 'Fn::GetAtt': {
        const [logicalId, attribute] = argument;
        const found = this.#resources.get(logicalId)?.attribute(attribute);
        return required(found, `${logicalId}.${attribute}`, owner);
      }
      case 'Fn::Join': {
        const [separator, items] = argument;
        return items.map(resolve).join(separator);
      }
      default:
        throw unsupported(owner, `the function ${name}`);
    }
  }
}

function required(value: string | undefined, referred: string, owner: string): string {
  if (value !== undefined) return value;
  throw unsupported(owner, `a reference to ${referred}`);
}

/** @throws TemplateError */
export function readTemplate(file: string, environment: TemplateEnvironment): Template {
  return new Template(JSON.parse(readFileSync(file, 'utf8')), environment);
}

function checkResource(logicalId: string, { Type, Condition }: RawResource): void {
  if (Condition !== undefined) {
    throw unsupported(logicalId, `the condition ${Condition}`);
  }
  if (!typesWithoutEffect.has(Type) && !(Type in supportedTypes)) {
    const list = 'tools/local/aws/template/resource-types.ts';
    throw unsupported(logicalId, `the type ${Type}`, list);
  }
}
