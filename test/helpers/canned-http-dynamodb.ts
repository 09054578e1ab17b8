import { answer, DynamodbProxy, type DynamodbRequest, lost, unanswered } from './dynamodb-proxy.ts';

export interface CannedAnswer {
  status?: number;
  /** Beside the ones that every answer has. */
  headers?: Record<string, string>;
  body: object;
}

/** Answers a request by what it says. */
export type DynamicAnswer = (input: Record<string, unknown>) => CannedAnswer;

export interface CannedHttpDynamodb {
  endpoint: string;
  /** What came in, in order: each is one round trip. */
  requests: DynamodbRequest[];
  /**
   * For the next requests; without one the connection breaks, as with `lost`. `none` lets the client
   * wait for ever.
   */
  answers: (CannedAnswer | DynamicAnswer | 'lost' | 'none')[];
  close(): Promise<void>;
}

/** A DynamoDB on a port of its own that says what it is told to. */
export async function startCannedHttpDynamodb(): Promise<CannedHttpDynamodb> {
  const answers: CannedHttpDynamodb['answers'] = [];
  const proxy = await DynamodbProxy.start((call) => {
    const next = answers.shift() ?? 'lost';
    if (next === 'lost') return lost(call);
    if (next === 'none') return unanswered(call);
    const { body, status, headers } = typeof next === 'function' ? next(call.input) : next;
    return answer(body, status, headers)(call);
  });
  const close = () => proxy[Symbol.asyncDispose]();
  return { endpoint: proxy.url, requests: proxy.requests, answers, close };
}

/** DynamoDB's answer to a request that failed. */
export function failureAnswer(type: string, rest: object = {}): CannedAnswer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...rest };
  return { status: 400, body };
}
