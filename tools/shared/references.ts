/**
 * An OpenAPI document with every `$ref` replaced by what it refers to, which names itself by the last
 * word of the reference as its `component`. It is the same object for each reference.
 */
export function withoutReferences(document: object): unknown {
  const resolved = new Map<string, object>();
  const resolve = (part: unknown): unknown => {
    if (part === null || typeof part !== 'object') return part;
    if (Array.isArray(part)) return part.map(resolve);
    if ('$ref' in part) return referred(String(part.$ref));
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, resolve(each)]));
  };
  const referred = (reference: string): object => {
    const known = resolved.get(reference);
    if (known !== undefined) return known;
    // Such as `#/components/schemas/Order`.
    const [, ...names] = reference.split('/');
    const target = names.reduce<unknown>((part, name) => (part as never)[name], document);
    const found = { ...(resolve(target) as object), component: names.at(-1) };
    resolved.set(reference, found);
    return found;
  };
  return resolve(document);
}
