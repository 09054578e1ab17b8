import { readFileSync } from 'node:fs';
import { TemplateError } from '../errors.ts';
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
  /** A property with its intrinsic functions resolved; undefined when it is not set. */
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation properties have hundreds of shapes
  property(name: string): any;
  /** The value of `Fn::GetAtt`; undefined when the type has no such attribute. */
  attribute(name: string): string | undefined;
}

/** A resource in the template's JSON. */
interface RawResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
}

interface RawTemplate {
  readonly Resources: Readonly<Record<string, RawResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** A CloudFormation template whose resource types and properties are all supported. */
export class Template {
  readonly environment: TemplateEnvironment;
  readonly #raw: RawTemplate;
  readonly #pseudoParameters: Readonly<Record<string, string>>;
  readonly #resources = new Map<string, TemplateResource>();

  /** @throws TemplateError for a resource type, or a property, that is not supported */
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

  /** The resources of one type, in the template's order. */
  ofType(type: string): TemplateResource[] {
    return [...this.#resources.values()].filter((resource) => resource.type === type);
  }

  /** The stack's outputs. */
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
      // This is a getter, because a property may refer to a resource that is created later.
      get ref() {
        return type?.ref?.(identity) ?? physicalName(identity);
      },
      property,
      attribute: (attribute) =>
        type ? type.attributes?.[attribute]?.(identity) : placeholderArn(identity),
    };
  }

  /**
   * Replaces every intrinsic function within a value by its result, as CloudFormation does.
   *
   * @param owner the logical id that the value belongs to, for error messages
   * @throws TemplateError for a function, a reference or a dynamic reference that is not supported
   * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
   */
  #resolve(value: unknown, owner: string): unknown {
    const resolve = (item: unknown) => this.#resolve(item, owner);
    if (typeof value === 'string') return withoutDynamicReference(value, owner);
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
        return known(found, argument, owner);
      }
      case 'Fn::GetAtt': {
        const [logicalId, attribute] = argument;
        const found = this.#resources.get(logicalId)?.attribute(attribute);
        return known(found, `${logicalId}.${attribute}`, owner);
      }
      case 'Fn::Join': {
        const [separator, items] = argument;
        return items.map(resolve).join(separator);
      }
      default:
        throw new TemplateError(owner, `the function ${name} is not supported locally`);
    }
  }
}

function withoutDynamicReference(value: string, owner: string): string {
  if (!value.includes('{{resolve:')) return value;
  throw new TemplateError(owner, `dynamic references are not supported locally: ${value}`);
}

/** @throws TemplateError when a reference has no value */
function known(value: string | undefined, referred: string, owner: string): string {
  if (value !== undefined) return value;
  throw new TemplateError(owner, `a reference to ${referred} is not supported locally`);
}

/**
 * Reads a synthesized template.
 *
 * @param hasTimeLimits false lifts the timeouts of its functions and integrations, because a function
 *   that is paused in a debugger takes minutes
 * @throws TemplateError for a resource type, or a property, that is not supported
 */
export function readTemplate(
  file: string,
  environment: TemplateEnvironment,
  hasTimeLimits: boolean,
): Template {
  const raw = JSON.parse(readFileSync(file, 'utf8'), hasTimeLimits ? undefined : liftTimeLimit);
  return new Template(raw, environment);
}

// Almost the maximum delay of a timer in Node.
const liftedTimeoutMs = 2_147_483_000;

function liftTimeLimit(property: string, value: unknown): unknown {
  if (property === 'Timeout') return liftedTimeoutMs / 1000;
  return property === 'TimeoutInMillis' ? liftedTimeoutMs : value;
}

/**
 * Rejects a nested property that the local run does not know, because it might have an effect in the
 * cloud that the local run lacks.
 *
 * @param path the path of the object within its resource, for the error message
 * @param known the names of the known properties, separated by spaces
 * @throws TemplateError naming the resource and the property
 */
export function checkKnownProperties(
  logicalId: string,
  path: string,
  value: object,
  known: string,
): void {
  const names = words(known);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (!unknown) return;
  throw new TemplateError(logicalId, `the property ${path}.${unknown} is not supported locally`);
}

/** Splits a text at spaces and line breaks, for a list of many names. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** How a message ends about a type or a property that the local run does not know. */
const unsupported =
  'is not supported locally: tools/local/template/resource-types.ts lists what is';

function checkResource(logicalId: string, { Type, Properties = {}, Condition }: RawResource): void {
  if (Condition !== undefined) {
    throw new TemplateError(logicalId, `the condition ${Condition} is not supported locally`);
  }
  if (typesWithoutEffect.has(Type)) return;
  const type = supportedTypes[Type];
  if (!type) throw new TemplateError(logicalId, `the type ${Type} ${unsupported}`);
  const known = words([type.supported, type.withoutEffect].join(' '));
  for (const name of Object.keys(Properties)) {
    if (known.includes(name)) continue;
    throw new TemplateError(logicalId, `the property ${name} of ${Type} ${unsupported}`);
  }
}
