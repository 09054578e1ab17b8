import {
  contractDifferences,
  type DocumentedError,
  operationOf,
} from '../../../test/contract/contract.ts';
import { OperatorError, reasonOf, shortened } from '../../shared/errors.ts';
import {
  type Answer,
  headerOf,
  numbersOf,
  type Route,
  rateLimitOf,
  type Send,
} from './http-client.ts';

export interface CallOptions {
  /** The whole `Authorization` header; `null` sends none. @default `Bearer` and the key */
  readonly authorization?: string | null;
  /** Not encoded. */
  readonly orderId?: string;
  /** With its `?`. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The expected response. Only errors have a code. */
type Expected = Pick<DocumentedError, 'status'> & Partial<DocumentedError>;

/** What is wrong with a response; false if it is right. */
type Difference = string | false;

/** The codes of responses to requests without a known key. The rate-limit headers of these responses are 0. */
const codesWithoutKey: readonly unknown[] = ['unauthorized', 'not_found', 'method_not_allowed'];

/** A deployed or local stage. */
export class Stage {
  readonly key: string;
  readonly #send: Send;

  constructor(send: Send, key: string) {
    this.#send = send;
    this.key = key;
  }

  call(operationId: string, options: CallOptions = {}): Promise<Answer> {
    const { method, path: template } = operationOf(operationId);
    const { orderId = '', query = '' } = options;
    const path = template.replace('{orderId}', orderId).replace('{petId}', '7') + query;
    return this.ask({ name: operationId, method, path }, options);
  }

  /**
   * Calls an operation.
   *
   * @param others compares more than the contract says
   * @throws Error if the answer is not as expected and documented
   */
  async expect(
    operationId: string,
    options: CallOptions,
    expected: Expected,
    others: (answer: Answer) => readonly Difference[] = () => [],
  ): Promise<Answer> {
    const answer = await this.call(operationId, options);
    this.compare(answer, expected, others(answer));
    return answer;
  }

  /** Sends any request. @throws Error if there is no answer, or an answer that is unreadable */
  async ask(route: Route, options: CallOptions): Promise<Answer> {
    const { authorization = `Bearer ${this.key}`, body } = options;
    const headers = {
      accept: 'application/json',
      ...(authorization === null ? {} : { authorization }),
      ...options.headers,
    };
    try {
      return await this.#send({ ...route, headers, body });
    } catch (error) {
      const text = `response: missing or unreadable, ${reasonOf(error)}`;
      throw new Error(`${requestLine(route)}\n${text}`, { cause: error });
    }
  }

  /**
   * @param others other differences
   * @throws Error if the answer is not as expected and documented. The message has a line for the request, for the
   * response, and for each difference
   * @throws OperatorError if the key has no requests left, unless the check expects it
   */
  compare(answer: Answer, { status, code }: Expected, others: readonly Difference[] = []): void {
    if (status !== 429) ensureNotUsedUp(answer);
    const { question, text, ...head } = answer;
    // An answer to HEAD has the headers of an answer with a body, but no body to compare.
    const isHead = question.method === 'HEAD';
    const allowance = Object.values(rateLimitOf(answer)).join(', ');
    const texts = [...answer.headers.values()].flat().concat(text);
    const differences = [
      ...contractDifferences(question.name, isHead ? head : answer),
      ...others,
      windowDifference(answer),
      codesWithoutKey.includes(code) &&
        allowance !== '0, 0, 0' &&
        `the rate-limit headers are ${allowance}, expected 0, 0, 0`,
      texts.some((each) => each.includes(this.key)) && 'the response repeats the API key',
    ].filter((each) => each !== false);
    const isCode = isHead || !code || codeOf(answer) === code;
    if (answer.status === status && isCode && differences.length === 0) return;
    throw new Error(
      [
        requestLine(question),
        `response: ${shown(answer)}`,
        `expected: ${[status, code].filter(Boolean).join(' ')}, as in openapi.yaml`,
        ...new Set(differences),
      ].join('\n'),
    );
  }
}

/**
 * Compares `RateLimit-Policy` and `RateLimit`, which describe both windows, with the `X-RateLimit-` headers, which
 * describe the window with the fewest requests left.
 */
function windowDifference(answer: Answer): Difference {
  const [minuteLimit = 0, , dayLimit = 0] = numbersOf(answer, 'ratelimit-policy');
  const [minuteLeft = 0, , dayLeft = 0] = numbersOf(answer, 'ratelimit');
  const { limit, remaining } = rateLimitOf(answer);
  const isDay = dayLeft < minuteLeft;
  const isWindow =
    limit === (isDay ? dayLimit : minuteLimit) && remaining === (isDay ? dayLeft : minuteLeft);
  return (
    !isWindow && `x-ratelimit-limit and -remaining are ${limit}, ${remaining}, not as in ratelimit`
  );
}

/** @throws OperatorError if the key's limit is used up, because then no other check says anything about the stage */
export function ensureNotUsedUp(answer: Answer): void {
  const retryAfter = headerOf(answer, 'retry-after');
  if (answer.status !== 429 || retryAfter === undefined) return;
  throw new OperatorError(
    `the key has no requests left: try again in ${retryAfter} seconds, or use another key`,
  );
}

function requestLine({ method, path }: Route): string {
  return `request: ${method} ${shortened(path)}`;
}

/** The error code in an answer's body; undefined if there is none. */
export function codeOf({ text }: Pick<Answer, 'text'>): string | undefined {
  try {
    return JSON.parse(text)?.code;
  } catch {
    return undefined;
  }
}

/** Formats an answer on one line: status, content type, request id, and the start of its body. */
export function shown(answer: Answer): string {
  const id = headerOf(answer, 'x-amz-apigw-id') ?? 'none';
  const type = headerOf(answer, 'content-type') ?? 'no content type';
  const start = answer.text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 160);
  return `${answer.status} (${type}, request id ${id}) ${start}`.trim();
}
