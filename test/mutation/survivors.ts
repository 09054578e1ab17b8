/** Why a mutant that no test notices is left as it is. */
interface Explanation {
  readonly file: string;
  /** The line that it changes, without what is around it. */
  readonly code: string;
  /** The same with the change, whose end can be in a later line of the source. */
  readonly changed: string;
  readonly reason: string;
}

export const explanations: readonly Explanation[] = [
  {
    file: 'lambdas/authorizer/key-cache.ts',
    code: "const [leastRecentlyUsed = ''] = this.#keys.keys();",
    changed: 'const [leastRecentlyUsed = "Stryker was here!"] = this.#keys.keys();',
    reason: 'The default is for the compiler: a map beyond its capacity has a first key.',
  },
  {
    file: 'lambdas/authorizer/key-cache.ts',
    code: 'const pending = this.#keys.get(tokenHash)?.pending ?? { minute: 0, count: 0 };',
    changed: 'const pending = this.#keys.get(tokenHash)?.pending ?? {};',
    reason:
      'No request is in the minute 0, nor in an undefined one: either counts as no rejection.',
  },
  {
    file: 'lambdas/authorizer/key-cache.ts',
    code: 'cached.pending = { minute, count: 0 };',
    changed: 'cached.pending = {};',
    reason: 'Rejections of no minute count as none, as none of this minute do.',
  },
  {
    file: 'lambdas/authorizer/owner-updates.ts',
    code: '...(status.isBanVoid ? [endBan()] : []),',
    changed: '...(status.isBanVoid ? [endBan()] : ["Stryker was here"]),',
    reason: 'What has neither a clause nor a condition nor values adds nothing to a write.',
  },
  {
    file: 'lambdas/authorizer/owner-updates.ts',
    code: 'const ban = record.ban ? [beginBan(record.ban)] : status.isBanVoid ? [endBan()] : [];',
    changed:
      'const ban = record.ban ? [beginBan(record.ban)] : status.isBanVoid ? [endBan()] : ["Stryker was here"];',
    reason: 'What has neither a clause nor a condition nor values adds nothing to a write.',
  },
  {
    file: 'lambdas/list-orders/accept-encoding.ts',
    code: "const weights = codingWeights(acceptEncoding ?? '');",
    changed: 'const weights = codingWeights(acceptEncoding ?? "Stryker was here!");',
    reason: 'A text that is no list of codings names as few as an empty one.',
  },
  {
    file: 'lambdas/list-orders/buffer-pool.ts',
    code: 'if (neededBytes > bufferBytes) return Buffer.allocUnsafeSlow(neededBytes);',
    changed: 'if (neededBytes >= bufferBytes) return Buffer.allocUnsafeSlow(neededBytes);',
    reason: "A buffer of exactly the pool's size is as good when it is new.",
  },
  {
    file: 'lambdas/list-orders/order-layout.ts',
    code: 'const byLetter: (FieldLayout | undefined)[] = Array.from({ length: 256 });',
    changed: 'const byLetter: (FieldLayout | undefined)[] = Array.from({});',
    reason: 'The length is for speed: V8 is slower where it reads beyond the end of an array.',
  },
  {
    file: 'lambdas/shared/api-key.ts',
    code: "const token = credentials.exec(header ?? '')?.[1];",
    changed: 'const token = credentials.exec(header ?? "Stryker was here!")?.[1];',
    reason: 'A text that holds no credentials is refused like an empty one.',
  },
  {
    file: 'lambdas/shared/order-id.ts',
    code: 'if (segment !== undefined && isInt64(segment)) return segment;',
    changed: 'if (true && isInt64(segment)) return segment;',
    reason: 'The check is for the compiler: undefined as a text is no int64 either.',
  },
];
