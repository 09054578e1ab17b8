/** Why a mutant that no test notices is left as it is. */
interface Explanation {
  readonly file: string;
  /** The line that it changes, without what is around it. */
  readonly code: string;
  /** What stands there instead. */
  readonly replacement: string;
  readonly reason: string;
}

export const explanations: readonly Explanation[] = [
  {
    file: 'lambdas/authorizer/key-cache.ts',
    code: "const [leastRecentlyUsed = ''] = this.#keys.keys();",
    replacement: '"Stryker was here!"',
    reason: 'The default is for the compiler: a map beyond its capacity has a first key.',
  },
  {
    file: 'lambdas/authorizer/key-cache.ts',
    code: 'const pending = this.#keys.get(tokenHash)?.pending ?? { minute: 0, count: 0 };',
    replacement: '{}',
    reason:
      'No request is in the minute 0, nor in an undefined one: either counts as no rejection.',
  },
  {
    file: 'lambdas/authorizer/key-cache.ts',
    code: 'cached.pending = { minute, count: 0 };',
    replacement: '{}',
    reason: 'Rejections of no minute count as none, as none of this minute do.',
  },
];
