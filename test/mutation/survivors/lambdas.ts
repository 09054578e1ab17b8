import type { Explanation } from './explanation.ts';

/** For `lambdas/`. */
export const lambdas: readonly Explanation[] = [
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
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'for (let index = 0; index < starts.length; index++) starts[index] = notSeen;',
    changed: 'for (let index = 0; index <= starts.length; index++) starts[index] = notSeen;',
    reason: 'A typed array ignores what is written behind its end.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'if (end === notUnderstood) return notUnderstood;',
    changed: 'if (false) return notUnderstood;',
    reason: 'Nor is the byte at this position, of which there is none, the one that has to follow.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'for (let index = 0; index < padded.length; index++) {',
    changed: 'for (let index = 0; index <= padded.length; index++) {',
    reason: 'One more word lands where the value and what follows it are written next.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'if (length > longValueBytes) {',
    changed: 'if (true) {',
    reason: 'Both ways copy the same bytes, and differ in speed alone.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'if (length > longValueBytes) {',
    changed: 'if (false) {',
    reason: 'Both ways copy the same bytes, and differ in speed alone.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'if (length > longValueBytes) {',
    changed: 'if (length >= longValueBytes) {',
    reason: 'Both ways copy the same bytes, and differ in speed alone.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'if (length > longValueBytes) {',
    changed: 'if (length <= longValueBytes) {',
    reason: 'Both ways copy the same bytes, and differ in speed alone.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'if (length > longValueBytes) {',
    changed: 'if (length > longValueBytes) {}',
    reason: 'Both ways copy the same bytes, and differ in speed alone.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'for (let done = 0; done < length; done += 4) {',
    changed: 'for (let done = 0; done <= length; done += 4) {',
    reason: 'One more word lands where the rest of the order is written next.',
  },
  {
    file: 'lambdas/list-orders/order-copier.ts',
    code: 'export const notUnderstood = -1;',
    changed: 'export const notUnderstood = +1;',
    reason: 'Nothing that is understood ends at the position 1 either.',
  },
  {
    file: 'lambdas/list-orders/page-transcoder.ts',
    code: 'this.setInput(Buffer.allocUnsafe(firstInputBytes + slackBytes));',
    changed: 'this.setInput(Buffer.allocUnsafe(firstInputBytes - slackBytes));',
    reason: 'Memory that is too small grows with the first chunk that needs more.',
  },
  {
    file: 'lambdas/list-orders/page-transcoder.ts',
    code: 'if (name < 0) return;',
    changed: 'if (name <= 0) return;',
    reason: 'A page does not begin with the name of its list: it is an object.',
  },
  {
    file: 'lambdas/list-orders/page-transcoder.ts',
    code: 'if (this.inputLength < this.nextTryLength) return;',
    changed: 'if (this.inputLength <= this.nextTryLength) return;',
    reason: 'What is not read with this chunk is read with the next, or at the end.',
  },
  {
    file: 'lambdas/list-orders/page-transcoder.ts',
    code: 'if (length + slackBytes > input.length) {',
    changed: 'if (length + slackBytes >= input.length) {',
    reason: 'The memory grows one byte earlier than it has to.',
  },
  {
    file: 'lambdas/list-orders/page-transcoder.ts',
    code: 'if (this.outputLength + length <= this.output.length) return;',
    changed: 'if (this.outputLength + length < this.output.length) return;',
    reason: 'A new buffer begins one byte earlier than it has to.',
  },
  {
    file: 'lambdas/list-orders/orders-page.ts',
    code: 'const isSelective = withIds || except;',
    changed: 'const isSelective = true;',
    reason: 'Without ids to note or to leave out every order is kept; only the speed differs.',
  },
  {
    file: 'lambdas/shared/api-key.ts',
    code: "const token = credentials.exec(header ?? '')?.[1];",
    changed: 'const token = credentials.exec(header ?? "Stryker was here!")?.[1];',
    reason: 'A text that holds no credentials is refused like an empty one.',
  },
  {
    file: 'lambdas/shared/dynamodb.ts',
    code: "defaultsMode: 'standard',",
    changed: 'defaultsMode: "",',
    reason: 'The client has a value of its own for whatever depends on it.',
  },
  {
    file: 'lambdas/shared/dynamodb.ts',
    code: 'endpointDiscoveryEnabled: false,',
    changed: 'endpointDiscoveryEnabled: true,',
    reason:
      'No operation that is used discovers its endpoint; that there is a value matters alone.',
  },
  {
    file: 'lambdas/shared/dynamodb.ts',
    code: 'authSchemePreference: [],',
    changed: 'authSchemePreference: ["Stryker was here"],',
    reason: 'A preference for a scheme that there is not is none.',
  },
  {
    file: 'lambdas/shared/order-id.ts',
    code: 'if (segment !== undefined && isInt64(segment)) return segment;',
    changed: 'if (true && isInt64(segment)) return segment;',
    reason: 'The check is for the compiler: undefined as a text is no int64 either.',
  },
];
