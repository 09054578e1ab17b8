import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { readProxyIntegration } from '../../../aws/api-gateway/proxy-integration.ts';
import type { InvocationResult } from '../../../aws/lambda/function-code.ts';
import { createContext, createRequest, createTemplate, method, proxy } from '../small-template.ts';

/** Sends a request to a function that answers with a result. */
function send(result: InvocationResult, isStreaming = false) {
  const ResponseTransferMode = isStreaming ? 'STREAM' : 'BUFFERED';
  const template = createTemplate(method('GET /', proxy('Fn', { ResponseTransferMode, Uri: '' })));
  const [resource] = template.ofType('AWS::ApiGateway::Method');
  const events: object[] = [];
  const invoke = async (event: object) => {
    events.push(event);
    return result;
  };
  const request = createRequest();
  const integration = readProxyIntegration(resource!, () => ({ invoke, isStreaming }));
  const exchange = { request, context: createContext(request), pathParameters: {} };
  return { answered: integration(exchange), events };
}

describe('an invocation for a request', () => {
  it('has its event, whose trace the client gets too', async () => {
    const { answered, events } = send({ payload: '{"statusCode":201}' });

    const { statusCode, headers } = await answered;

    const [name, trace] = headers[0]!;
    expect([statusCode, name, trace]).toEqual([
      201,
      'X-Amzn-Trace-Id',
      expect.stringMatching(/^Root=1-/),
    ]);
    const received = { path: '/orders', headers: { 'X-Amzn-Trace-Id': trace } };
    expect(events).toEqual([expect.objectContaining({ path: received.path })]);
    expect(events).toMatchObject([received]);
  });

  it('that fails is answered with 502', async () => {
    const error = { errorType: 'Error', errorMessage: 'why' };

    const { answered } = send({ error });

    const fault = { type: 'INTEGRATION_FAILURE', builtIn: { status: 502 }, cause: error };
    await expect(answered).rejects.toMatchObject(fault);
  });

  it('whose function streams has the whole body, also what was written before it is read', async () => {
    const source = new PassThrough();
    source.write(`{"statusCode":201}${'\0'.repeat(8)}bo`);

    const { statusCode, body } = await send({ stream: source }, true).answered;
    source.end('dy');

    expect([statusCode, await text(body as PassThrough)]).toEqual([201, 'body']);
  });

  it.each<[string, boolean, (source: PassThrough) => InvocationResult]>([
    ['streams although nothing says so', false, (source) => ({ stream: source })],
    ['does not stream as expected', true, () => ({ payload: '{}' })],
  ])('whose function %s is answered with 502', async (_, isStreaming, resultOf) => {
    const source = new PassThrough();

    const { answered } = send(resultOf(source), isStreaming);

    const cause = expect.stringContaining('the reverse');
    const fault = { type: 'INTEGRATION_FAILURE', builtIn: { status: 502 }, cause };
    await expect(answered).rejects.toMatchObject(fault);
    expect(source.destroyed).toBe(!isStreaming);
  });
});
