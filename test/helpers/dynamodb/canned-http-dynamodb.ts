import {
  answer,
  DynamodbProxy,
  type DynamodbRequest,
  empty,
  lost,
  unanswered,
} from './dynamodb-proxy.ts';

export interface CannedAnswer {
  status?: number;
  /** Additional headers. */
  headers?: Record<string, string>;
  body: object;
}

/** Answers a request depending on its content. */
export type DynamicAnswer = (input: Record<string, unknown>) => CannedAnswer;

export interface CannedHttpDynamodb {
  endpoint: string;
  /** The requests so far, in order. Each is one round trip. */
  requests: DynamodbRequest[];
  /**
   * The responses to the next requests. Without one the connection breaks, as with `lost`; `none`
   * means that the request is never answered, and `empty` that the answer has no body.
   */
  answers: (CannedAnswer | DynamicAnswer | 'lost' | 'none' | 'empty')[];
  close(): Promise<void>;
}

/** A server that answers in place of DynamoDB as a test specifies. */
export async function startCannedHttpDynamodb(): Promise<CannedHttpDynamodb> {
  const answers: CannedHttpDynamodb['answers'] = [];
  const proxy = await DynamodbProxy.start((call) => {
    const next = answers.shift() ?? 'lost';
    if (next === 'lost') return lost(call);
    if (next === 'none') return unanswered(call);
    if (next === 'empty') return empty(call);
    const { body, status, headers } = typeof next === 'function' ? next(call.input) : next;
    return answer(body, status, headers)(call);
  });
  const close = () => proxy[Symbol.asyncDispose]();
  return { endpoint: proxy.url, requests: proxy.requests, answers, close };
}

/** An error response of DynamoDB. */
export function failureAnswer(type: string, rest: object = {}): CannedAnswer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...rest };
  return { status: 400, body };
}
