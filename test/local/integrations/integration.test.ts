import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { InvocationResult } from '../../../local/functions/execution-environment.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { answerIntegration } from '../../../local/integrations/integration.ts';
import type { ProxyIntegration } from '../../../local/integrations/proxy-integration.ts';
import { createContext, createRequest } from '../small-template.ts';

const lambda = { logicalId: 'Fn', name: 'fn', timeoutMs: 15_000 } as LambdaFunction;
const integration: ProxyIntegration = {
  type: 'AWS_PROXY',
  target: { lambda, invokedArn: 'arn', isStreaming: false },
  timeoutMs: 10_000,
};

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Sends a request whose function answers what the test says, or never. */
function send(signal?: AbortSignal, answer: Promise<InvocationResult> = new Promise(() => {})) {
  const request = { ...createRequest(), signal };
  let giveUp: AbortSignal | undefined;
  const answered = answerIntegration(integration, {
    request,
    context: createContext(request),
    pathParameters: {},
    stageVariables: {},
    binaryMediaTypes: [],
    invoke: (_lambda, _invocation, signal) => {
      giveUp = signal;
      return answer;
    },
  });
  answered.catch(() => {});
  return { answered, isGivenUp: () => giveUp?.aborted };
}

describe('an invocation for a request', () => {
  it('is given up when the integration has taken too long, its wait for a turn included', async () => {
    const { answered, isGivenUp } = send();
    const wasGivenUp = isGivenUp();

    jest.advanceTimersByTime(10_000);

    await expect(answered).rejects.toMatchObject({ type: 'INTEGRATION_TIMEOUT' });
    expect([wasGivenUp, isGivenUp()]).toEqual([false, true]);
  });

  it('is given up when the client goes away', () => {
    const leaving = new AbortController();
    const { isGivenUp } = send(leaving.signal);
    const wasGivenUp = isGivenUp();

    leaving.abort();

    expect([wasGivenUp, isGivenUp()]).toEqual([false, true]);
  });

  it('is not begun for a client that has gone already', () => {
    expect(send(AbortSignal.abort()).isGivenUp()).toBe(true);
  });

  it('that Lambda refuses for want of environments is answered 500, as API Gateway does', async () => {
    const error = { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' };

    const { answered } = send(undefined, Promise.resolve({ error }));

    await expect(answered).rejects.toMatchObject({ type: 'INTEGRATION_FAILURE', status: 500 });
  });
});
