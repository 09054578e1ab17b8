import { TemplateError } from './template-error.ts';

/** The values of a template that intrinsic functions can refer to. */
export interface TemplateScope {
  readonly pseudoParameters: Readonly<Record<string, string>>;
  /** The values of the template's parameters, which are their defaults. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly mappings: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
  readonly conditions: Readonly<Record<string, unknown>>;
  /** The value of `Ref` for a resource; undefined when there is no such resource. */
  refOf(logicalId: string): string | undefined;
  /** The value of `Fn::GetAtt`; undefined when the resource has no such attribute. */
  attributeOf(logicalId: string, attribute: string): string | undefined;
}

type Intrinsic = (argument: unknown, scope: TemplateScope, owner: string) => unknown;

const noValue = Symbol('AWS::NoValue');

/**
 * Replaces every intrinsic function within a value by its result, as CloudFormation does.
 *
 * @param owner the logical id that the value belongs to, for error messages
 * @throws TemplateError for a function, a reference or a dynamic reference that is not supported
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
 */
export function resolveIntrinsics(value: unknown, scope: TemplateScope, owner: string): unknown {
  const resolved = resolve(value, scope, owner);
  return resolved === noValue ? undefined : resolved;
}

/** Whether a condition of the template is true. @throws TemplateError when it does not exist */
export function conditionHolds(name: string, scope: TemplateScope, owner: string): boolean {
  if (!(name in scope.conditions))
    throw new TemplateError(owner, `there is no condition "${name}"`);
  return resolve(scope.conditions[name], scope, owner) === true;
}

function resolve(value: unknown, scope: TemplateScope, owner: string): unknown {
  if (typeof value === 'string') return withoutDynamicReference(value, owner);
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, scope, owner)).filter((item) => item !== noValue);
  }
  if (typeof value !== 'object' || value === null) return value;
  const name = intrinsicName(value);
  if (name === undefined) return resolveObject(value, scope, owner);
  const intrinsic = intrinsics[name];
  if (!intrinsic) throw new TemplateError(owner, `the function ${name} is not supported locally`);
  return intrinsic((value as Record<string, unknown>)[name], scope, owner);
}

function resolveObject(value: object, scope: TemplateScope, owner: string): unknown {
  const entries = Object.entries(value)
    .map(([key, item]) => [key, resolve(item, scope, owner)] as const)
    .filter(([, item]) => item !== noValue);
  return Object.fromEntries(entries);
}

function intrinsicName(value: object): string | undefined {
  const [key, ...others] = Object.keys(value);
  if (key === undefined || others.length > 0) return undefined;
  // A policy statement also has a key "Condition"; with a name as its value, it is a function.
  if (key === 'Condition') return typeof Object.values(value)[0] === 'string' ? key : undefined;
  return key === 'Ref' || key.startsWith('Fn::') ? key : undefined;
}

function withoutDynamicReference(value: string, owner: string): string {
  if (!value.includes('{{resolve:')) return value;
  throw new TemplateError(owner, `dynamic references are not supported locally: ${value}`);
}

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, scope, owner) => reference(String(name), scope, owner),
  Condition: (name, scope, owner) => conditionHolds(String(name), scope, owner),
  'Fn::GetAtt': (argument, scope, owner) => {
    const [logicalId, ...path] = Array.isArray(argument) ? argument : String(argument).split('.');
    return attribute(String(logicalId), path.join('.'), scope, owner);
  },
  'Fn::Join': (argument, scope, owner) => {
    const [separator, items] = list(argument, scope, owner, 'Fn::Join');
    return (items as unknown[]).join(String(separator));
  },
  'Fn::Split': (argument, scope, owner) => {
    const [separator, text] = list(argument, scope, owner, 'Fn::Split');
    return String(text).split(String(separator));
  },
  'Fn::Select': (argument, scope, owner) => {
    const [index, items] = list(argument, scope, owner, 'Fn::Select');
    const item = (items as unknown[])[Number(index)];
    if (item === undefined) throw new TemplateError(owner, `Fn::Select finds no item ${index}`);
    return item;
  },
  'Fn::Sub': (argument, scope, owner) => substitute(argument, scope, owner),
  'Fn::Base64': (argument, scope, owner) =>
    Buffer.from(String(resolve(argument, scope, owner))).toString('base64'),
  'Fn::FindInMap': (argument, scope, owner) => {
    const [map, first, second] = list(argument, scope, owner, 'Fn::FindInMap').map(String);
    const found = scope.mappings[map!]?.[first!]?.[second!];
    if (found === undefined) {
      throw new TemplateError(owner, `there is no mapping ${map}.${first}.${second}`);
    }
    return found;
  },
  'Fn::If': (argument, scope, owner) => {
    const [name, whenTrue, whenFalse] = argument as [string, unknown, unknown];
    return resolve(conditionHolds(name, scope, owner) ? whenTrue : whenFalse, scope, owner);
  },
  'Fn::Equals': (argument, scope, owner) => {
    const [left, right] = list(argument, scope, owner, 'Fn::Equals');
    return String(left) === String(right);
  },
  'Fn::And': (argument, scope, owner) => list(argument, scope, owner, 'Fn::And').every(Boolean),
  'Fn::Or': (argument, scope, owner) => list(argument, scope, owner, 'Fn::Or').some(Boolean),
  'Fn::Not': (argument, scope, owner) => !list(argument, scope, owner, 'Fn::Not')[0],
};

function list(argument: unknown, scope: TemplateScope, owner: string, name: string): unknown[] {
  const resolved = resolve(argument, scope, owner);
  if (Array.isArray(resolved)) return resolved;
  throw new TemplateError(owner, `${name} takes a list`);
}

function reference(name: string, scope: TemplateScope, owner: string): unknown {
  if (name === 'AWS::NoValue') return noValue;
  const value = scope.pseudoParameters[name] ?? scope.parameters[name] ?? scope.refOf(name);
  if (value === undefined) throw new TemplateError(owner, `Ref "${name}" refers to nothing`);
  return value;
}

function attribute(logicalId: string, name: string, scope: TemplateScope, owner: string): string {
  const value = scope.attributeOf(logicalId, name);
  if (value !== undefined) return value;
  throw new TemplateError(owner, `Fn::GetAtt "${logicalId}.${name}" is not supported locally`);
}

function substitute(argument: unknown, scope: TemplateScope, owner: string): string {
  const [text, variables] = (Array.isArray(argument) ? argument : [argument, {}]) as [
    string,
    Record<string, unknown>,
  ];
  return text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, escaped: string, name: string) => {
    if (escaped) return `\${${name}}`;
    if (name in variables) return String(resolve(variables[name], scope, owner));
    const [logicalId, ...path] = name.split('.') as [string, ...string[]];
    return path.length === 0
      ? String(reference(name, scope, owner))
      : attribute(logicalId, path.join('.'), scope, owner);
  });
}
