import type { Explanation } from './explanation.ts';

/** For `local/gateway/` and `local/exchange/`. */
export const gateway: readonly Explanation[] = [
  {
    file: 'local/exchange/incoming-request.ts',
    code: "return path.replace(/^\\/+/, '/');",
    changed: "return path.replace(/\\/+/, '/');",
    reason:
      'A path that does not start with a slash, such as the `*` of OPTIONS, is below no stage.',
  },
  {
    file: 'local/gateway/gateway.ts',
    code: "this.#binaryMediaTypes = restApi.property('BinaryMediaTypes') ?? [];",
    changed:
      'this.#binaryMediaTypes = restApi.property(\'BinaryMediaTypes\') ?? ["Stryker was here"];',
    reason: 'A body is binary when its content type is in the list, and none has that name.',
  },
  {
    file: 'local/gateway/usage-plan.ts',
    code: 'const key = keyValue === undefined ? undefined : this.#keys.findKey(keyValue);',
    changed: 'const key = false ? undefined : this.#keys.findKey(keyValue);',
    reason: 'The condition is for the compiler: no key has an undefined value.',
  },
];
