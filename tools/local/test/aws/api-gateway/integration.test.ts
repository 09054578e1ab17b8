import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readProxyIntegration } from '../../../aws/api-gateway/integration.ts';
import type { InvocationResult, InvocationTarget } from '../../../aws/lambda/lambda-functions.ts';
import {
  createContext,
  createRequest,
  createTemplate,
  method,
  proxy,
  type RequestParts,
} from '../small-template.ts';

type Invoked = Parameters<InvocationTarget['invoke']>;

beforeEach(() => {
  // Streams need the functions that are not faked.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

interface Sending extends RequestParts {
  /** What the function answers; nothing by default. */
  answer?: InvocationResult | Promise<InvocationResult>;
  timeoutMs?: number;
  isStreaming?: boolean;
}

function send(sending: Sending = {}) {
  const { answer, timeoutMs = 10_000, isStreaming = false, ...parts } = sending;
  const request = createRequest(parts);
  const invoked: Invoked[] = [];
  const ResponseTransferMode = isStreaming ? 'STREAM' : 'BUFFERED';
  const settings = { TimeoutInMillis: timeoutMs, ResponseTransferMode, Uri: '' };
  const template = createTemplate(method('GET /', proxy('Fn', settings)));
  const [resource] = template.ofType('AWS::ApiGateway::Method');
  const invoke = async (...invocation: Invoked) => {
    invoked.push(invocation);
    return answer ?? new Promise<never>(() => {});
  };
  const integration = readProxyIntegration(resource!, () => ({ invoke, isStreaming }));
  const exchange = { request, context: createContext(request), pathParameters: {} };
  const answered = integration(exchange);
  answered.catch(() => {});
  return { answered, invoked, isGivenUp: () => invoked[0]![1].aborted };
}

/** Sends a request whose function streams after a time; `fault` is what its body ends with. */
async function stream(timeoutMs: number, afterMs = 0) {
  const source = new PassThrough();
  source.write(`{"statusCode":200}${'\0'.repeat(8)}`);
  const { promise, resolve } = Promise.withResolvers<InvocationResult>();
  const { answered } = send({ answer: promise, timeoutMs, isStreaming: true });
  await advance(afterMs);
  resolve({ stream: source });
  const body = (await answered).body as PassThrough;
  let fault: Error | undefined;
  body.on('error', (error) => {
    fault = error;
  });
  return { source, body, fault: () => fault?.message };
}

async function advance(milliseconds: number) {
  await jest.advanceTimersByTimeAsync(milliseconds);
  await turn();
}

describe('an invocation for a request', () => {
  it('has its event', async () => {
    const { answered, invoked } = send({ answer: { payload: '{"statusCode":201}' } });

    const { statusCode, headers } = await answered;

    expect(statusCode).toBe(201);
    const [[event]] = invoked as [Invoked];
    const { path, headers: received } = event as Record<string, Record<string, string>>;
    expect(path).toBe('/orders');
    expect(headers).toContainEqual(['X-Amzn-Trace-Id', expect.stringMatching(/^Root=1-/)]);
    expect(headers[0]![1]).toContain(received!['X-Amzn-Trace-Id']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it("is cancelled at the integration's timeout, which includes the wait for an environment", async () => {
    const { answered, isGivenUp } = send();
    const wasGivenUp = isGivenUp();

    jest.advanceTimersByTime(10_000);

    await expect(answered).rejects.toMatchObject({ type: 'INTEGRATION_TIMEOUT' });
    expect([wasGivenUp, isGivenUp()]).toEqual([false, true]);
  });

  it('is cancelled when the client disconnects', () => {
    const leaving = new AbortController();
    const { isGivenUp } = send({ signal: leaving.signal });
    const wasGivenUp = isGivenUp();

    leaving.abort();

    expect([wasGivenUp, isGivenUp()]).toEqual([false, true]);
  });

  it.each([
    ['RequestEntityTooLargeException', 'REQUEST_TOO_LARGE', 413],
    ['Runtime.ExitError', 'INTEGRATION_FAILURE', 502],
  ])('that fails with %s is answered as by API Gateway: %s %s', async (errorType, type, status) => {
    const error = { errorType, errorMessage: 'why' };

    const { answered } = send({ answer: { error } });

    await expect(answered).rejects.toMatchObject({ type, builtIn: { status }, cause: error });
  });
});

describe('a stream for a request', () => {
  it('contains what was written before it was read, and leaves no timer behind', async () => {
    const { source, body } = await stream(10_000);
    source.end('body');
    await turn();

    const read = await text(body);
    await turn();

    expect(read).toBe('body');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is closed if it begins after the time limit', async () => {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const source = new PassThrough();
    const { answered } = send({ answer: promise, isStreaming: true });
    await advance(10_000);

    resolve({ stream: source });

    await expect(answered).rejects.toMatchObject({ type: 'INTEGRATION_TIMEOUT' });
    await turn();
    expect(source.destroyed).toBe(true);
  });

  it.each<[string, boolean, (source: PassThrough) => InvocationResult]>([
    ['comes although none is expected', false, (source) => ({ stream: source })],
    ['is expected but does not come', true, () => ({ payload: '{}' })],
  ])('that %s is a malformed result: 502', async (_, isStreaming, answerOf) => {
    const source = new PassThrough();

    const { answered } = send({ answer: answerOf(source), isStreaming });

    const cause = expect.stringContaining('the reverse');
    const fault = { type: 'INTEGRATION_FAILURE', builtIn: { status: 502 }, cause };
    await expect(answered).rejects.toMatchObject(fault);
    expect(source.destroyed).toBe(!isStreaming);
  });

  it('breaks at the end of the time limit', async () => {
    const { source, fault } = await stream(10_000, 4_000);
    await advance(5_999);
    const early = fault();

    await advance(1);

    expect([early, fault()]).toEqual([undefined, 'The operation was aborted']);
    expect(source.destroyed).toBe(true);
  });
});
