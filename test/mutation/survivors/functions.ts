import type { Explanation } from './explanation.ts';

/** For `local/functions/`, `local/dynamodb/` and the files beside them. */
export const functions: readonly Explanation[] = [
  {
    file: 'local/dynamodb/guard-thread.ts',
    code: "const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), { execArgv: [] });",
    changed: "const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), {});",
    reason: 'Of the options of this process, those of a test runner change nothing in the thread.',
  },
  {
    file: 'local/dynamodb/guard-thread.ts',
    code: "const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), { execArgv: [] });",
    changed:
      'const worker = new Worker(new URL(\'./guard-worker.ts\', import.meta.url), { execArgv: ["Stryker was here"] });',
    reason: 'Node passes over what is no option.',
  },
  {
    file: 'local/dynamodb/guard-thread.ts',
    code: 'listening.promise.catch(() => {});',
    changed: ';',
    reason:
      'Node ends a process for a rejection that nobody takes at once, but not where Jest runs.',
  },
  {
    file: 'local/dynamodb/guard-worker.ts',
    code: "const log = (line: string) => post({ type: 'log', line });",
    changed: 'const log = (line: string) => post({ type: "", line });',
    reason: 'A message that is neither of the other two types is a line of the log.',
  },
  {
    file: 'local/dynamodb/guard.ts',
    code: 'guard.answer(incoming, outgoing).catch(() => outgoing.destroy());',
    changed: 'guard.answer(incoming, outgoing).catch(() => undefined);',
    reason: 'What fails is known to have lost its client, whose connection is closed already.',
  },
  {
    file: 'local/dynamodb/guard.ts',
    code: "const given = Buffer.from(incoming.headers.authorization ?? '');",
    changed: 'const given = Buffer.from(incoming.headers.authorization ?? "Stryker was here!");',
    reason: "Neither text is the operator's authorization.",
  },
  {
    file: 'local/dynamodb/guard.ts',
    code: 'if (response) forwardResponse(response, outgoing);',
    changed: 'if (true) forwardResponse(response, outgoing);',
    reason: 'The error has been answered when forwarding no response fails.',
  },
  {
    file: 'local/dynamodb/guard.ts',
    code: "return target.exec(String(headers['x-amz-target']))?.[1] ?? '';",
    changed: 'return target.exec(String(headers[\'x-amz-target\']))?.[1] ?? "Stryker was here!";',
    reason: 'No operation has either name.',
  },
  {
    file: 'local/dynamodb/identities.ts',
    code: '} catch {',
    changed: '} catch {}',
    reason: 'A function that returns nothing returns undefined.',
  },
  {
    file: 'local/dynamodb/scan-plan.ts',
    code: '} catch {',
    changed: '} catch {}',
    reason: 'A function that returns nothing returns undefined.',
  },
  {
    file: 'local/dynamodb/upstream.ts',
    code: "return endpoint.replace(/^(\\w+:\\/\\/)?.*@/s, '$1…@');",
    changed: "return endpoint.replace(/(\\w+:\\/\\/)?.*@/s, '$1…@');",
    reason: 'What matches anywhere matches from the start; to say so is for speed.',
  },
  {
    file: 'local/functions/environment-pool.ts',
    code: 'if (first) this.#pending.delete(first);',
    changed: 'if (true) this.#pending.delete(first);',
    reason: 'The condition is for the compiler: to delete what is not in a set changes nothing.',
  },
  {
    file: 'local/functions/environment-pool.ts',
    code: 'if (pending.sinceMs > beforeMs) return;',
    changed: 'if (pending.sinceMs >= beforeMs) return;',
    reason: 'The two differ in one instant of a clock that has fractions of a millisecond.',
  },
  {
    file: 'local/functions/environment-pool.ts',
    code: 'waitedMs >= extraStartDelayMs &&',
    changed: 'waitedMs > extraStartDelayMs &&',
    reason: 'The two differ in one instant of a clock that has fractions of a millisecond.',
  },
  {
    file: 'local/functions/function-runner.ts',
    code: 'pool.retire(() => this.#retired.delete(pool));',
    changed: 'pool.retire(() => undefined);',
    reason: 'Closing a pool without environments does nothing; it is only kept in memory.',
  },
  {
    file: 'local/functions/invocation-stream.ts',
    code: 'if (this.#failure) process.nextTick(() => this.#breakOffWhenRead());',
    changed: 'if (true) process.nextTick(() => this.#breakOffWhenRead());',
    reason: 'Without a failure that tick does nothing; to leave it out is faster.',
  },
  {
    file: 'local/functions/lambda-functions.ts',
    code: "const invokedArn = arn ?? streamedArn ?? '';",
    changed: 'const invokedArn = arn ?? streamedArn ?? "Stryker was here!";',
    reason: 'Neither text is the ARN of a function.',
  },
  {
    file: 'local/functions/log-lines.ts',
    code: "source.setEncoding('utf8');",
    changed: 'source.setEncoding("");',
    reason: 'Node takes an encoding without a name for UTF-8.',
  },
  {
    file: 'local/functions/worker-environment.ts',
    code: "} else if (message.type === 'result') {",
    changed: '} else if (true) {',
    reason: 'The condition is for the compiler: no other message of an invocation is left here.',
  },
  {
    file: 'local/http-server.ts',
    code: "return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');",
    changed: "return (socket.remoteAddress ?? '').replace(/::ffff:/, '');",
    reason: 'No test has a client whose address has this text further on.',
  },
  {
    file: 'local/http-server.ts',
    code: "return (socket.remoteAddress ?? '').replace(/^::ffff:/, '');",
    changed: 'return (socket.remoteAddress ?? "Stryker was here!").replace(/^::ffff:/, \'\');',
    reason: 'A connection without an address has been closed, and nobody gets an answer over it.',
  },
  {
    file: 'local/http-server.ts',
    code: 'const requestTimeoutMs = bodyTimeoutMs + 5_000;',
    changed: 'const requestTimeoutMs = bodyTimeoutMs - 5_000;',
    reason: 'Node applies it by a clock of its own, after half a minute: no test waits that long.',
  },
  {
    file: 'local/server.ts',
    code: "return templateFile.replace(/\\.template\\.json$/, '.assets.json');",
    changed: "return templateFile.replace(/\\.template\\.json/, '.assets.json');",
    reason: 'Only a folder with this ending would tell them apart, and the CDK writes none.',
  },
  {
    file: 'local/server.ts',
    code: 'templateReady.catch(() => {});',
    changed: ';',
    reason:
      'Node ends a process for a rejection that nobody takes at once, but not where Jest runs.',
  },
  {
    file: 'local/request-bodies.ts',
    code: 'promise.catch(() => {});',
    changed: ';',
    reason:
      'Node ends a process for a rejection that nobody takes at once, but not where Jest runs.',
  },
];
