import { TemplateError } from '../errors.ts';

/** The values of a template that intrinsic functions can refer to. */
export interface TemplateScope {
  readonly pseudoParameters: Readonly<Record<string, string>>;
  /** The value of `Ref` for a resource; undefined when there is no such resource. */
  refOf(logicalId: string): string | undefined;
  /** The value of `Fn::GetAtt`; undefined when the resource has no such attribute. */
  attributeOf(logicalId: string, attribute: string): string | undefined;
}

/**
 * Replaces every intrinsic function within a value by its result, as CloudFormation does.
 *
 * @param owner the logical id that the value belongs to, for error messages
 * @throws TemplateError for a function, a reference or a dynamic reference that is not supported
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
 */
export function resolveIntrinsics(value: unknown, scope: TemplateScope, owner: string): unknown {
  const resolve = (item: unknown) => resolveIntrinsics(item, scope, owner);
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
      const referred = String(argument);
      return known(scope.pseudoParameters[referred] ?? scope.refOf(referred), referred, owner);
    }
    case 'Fn::GetAtt': {
      const [logicalId, attribute] = argument as [string, string];
      return known(scope.attributeOf(logicalId, attribute), `${logicalId}.${attribute}`, owner);
    }
    case 'Fn::Join': {
      const [separator, items] = argument as [string, unknown[]];
      return items.map(resolve).join(separator);
    }
    default:
      throw new TemplateError(owner, `the function ${name} is not supported locally`);
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
