import type { Expected } from './fact.ts';

/** Says in which places a value is not what is expected of it. */
export function differences(expected: Expected, actual: unknown, path = ''): string[] {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) {
    return isSame(expected, actual) ? [] : [different(path, expected, actual)];
  }
  const fields = expected as { readonly [name: string]: Expected };
  if ('$is' in fields) return unmet(fields, actual, path);
  if (typeof actual !== 'object' || actual === null) return [different(path, expected, actual)];
  return Object.entries(fields).flatMap(([name, value]) =>
    differences(value, (actual as Record<string, unknown>)[name], `${path}.${name}`),
  );
}

function unmet(
  statement: { readonly [name: string]: Expected },
  actual: unknown,
  path: string,
): string[] {
  const { $is, text, fields } = statement;
  const isMet =
    ($is === 'present' && actual !== undefined) ||
    ($is === 'absent' && actual === undefined) ||
    ($is === 'containing' && String(actual).includes(String(text))) ||
    ($is === 'lacking' && typeof actual === 'string' && !actual.includes(String(text)));
  if ($is !== 'exactly') return isMet ? [] : [different(path, statement, actual)];
  const known = fields as { readonly [name: string]: Expected };
  const others = Object.keys(Object(actual)).filter((name) => !(name in known));
  return [
    ...differences(known, actual, path),
    ...others.map((name) => `${path}.${name}: not in the recording`),
  ];
}

function isSame(expected: Expected, actual: unknown): boolean {
  return JSON.stringify(expected) === JSON.stringify(actual);
}

function different(path: string, expected: Expected, actual: unknown): string {
  const shown = actual === undefined ? 'nothing' : JSON.stringify(actual);
  return `${path}: ${shown} instead of ${JSON.stringify(expected)}`;
}
