import { contractDifferences } from '../../lib/contract/contract.ts';
import type { Answer, OutgoingRequest, Send } from '../smoke/stage/http-client.ts';
import { shown } from '../smoke/stage/stage.ts';
import { aws, lookUntil } from './aws.ts';
import { Differs } from './evidence.ts';
import type { Outputs, Trial } from './trial.ts';

const list = { method: 'GET', path: '/store/orders' };
const pet = { method: 'GET', path: '/pets/7' };
/** API Gateway accepts 10 MB: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const tooLarge = 'x'.repeat(11 * 1024 * 1024);

/** How to provoke a response that API Gateway makes itself. */
interface Provocation {
  readonly request: OutgoingRequest;
  /** The function that Lambda refuses to run meanwhile. @default - none */
  readonly throttled?: 'ListOrdersFunctionName' | 'AuthorizerFunctionName';
}

/** By the type of the gateway response. The smoke test provokes UNAUTHORIZED and ACCESS_DENIED. */
export const provocations: Readonly<Record<string, Provocation>> = {
  UNSUPPORTED_MEDIA_TYPE: { request: { ...pet, headers: { 'content-type': 'text/html' } } },
  REQUEST_TOO_LARGE: { request: { method: 'DELETE', path: '/store/orders/1', body: tooLarge } },
  INTEGRATION_FAILURE: { request: list, throttled: 'ListOrdersFunctionName' },
  AUTHORIZER_FAILURE: { request: pet, throttled: 'AuthorizerFunctionName' },
};

/** Compares a response that API Gateway makes itself with the contract: its status, headers and body. */
export async function provoke(
  type: string,
  { trial, send, outputs }: { trial: Trial; send: Send; outputs: Outputs },
  key: string,
): Promise<string> {
  const { request, throttled } = provocations[type]!;
  const authorized = { authorization: `Bearer ${key}`, ...request.headers };
  const ask = () => send({ ...request, headers: authorized });
  if (!throttled) return compared(type, await ask());
  const FunctionName = outputs[throttled];
  try {
    // Lambda refuses every invocation of a function that may not run at all.
    await aws.lambda.putFunctionConcurrency({ FunctionName, ReservedConcurrentExecutions: 0 });
    return compared(type, await lookUntil(ask, ({ status }) => status >= 500, trial.signal));
  } finally {
    await aws.lambda.deleteFunctionConcurrency({ FunctionName });
  }
}

function compared(type: string, answer: Answer): string {
  const differences = contractDifferences(type, answer);
  if (differences.length > 0) throw new Differs(`${shown(answer)}: ${differences.join('; ')}`);
  return shown(answer);
}
