import {
  type ComparedAnswer,
  contractDifferences,
  operationOf,
} from '../../../test/contract/contract.ts';
import { OperatorError, reasonOf } from '../../shared/errors.ts';
import type { Answer, OutgoingRequest, Send } from './http-client.ts';
import { headerOf, rateLimitDifferences, rateLimitOf } from './rate-limit.ts';

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

export interface Expected {
  readonly status: number;
  readonly code?: string;
}

const notFound: Expected = { status: 404, code: 'not_found' };
const methodNotAllowed: Expected = { status: 405, code: 'method_not_allowed' };

/** The codes of responses to requests without a known key. The rate-limit headers of these responses are 0. */
const codesWithoutKey: readonly unknown[] = ['unauthorized', 'not_found', 'method_not_allowed'];

/** A response is not as expected. The message has a line for the request, for the response, and for each difference. */
export class CheckFailed extends Error {}

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
    const { orderId = '', query = '', body } = options;
    const path = template.replace('{orderId}', orderId).replace('{petId}', '7') + query;
    return this.#ask({ method, path, body, headers: this.#headers(options) });
  }

  /** Calls an operation. @throws CheckFailed if the answer is not as expected and documented */
  async expect(operationId: string, options: CallOptions, expected: Expected): Promise<Answer> {
    const answer = await this.call(operationId, options);
    this.compare(operationId, answer, expected);
    return answer;
  }

  /**
   * Sends a request that the contract does not have. @throws CheckFailed if the answer is not 404 or, if the path
   * allows other methods, 405
   */
  async expectUnknown(
    method: string,
    path: string,
    allowed: readonly string[] = [],
    options: CallOptions = {},
  ): Promise<void> {
    const { body } = options;
    const question = { method, path, body, headers: this.#headers(options) };
    const { text, ...head } = await this.#ask(question);
    // An answer to HEAD has the headers of an answer with a body, but no body to compare.
    const answer = method === 'HEAD' ? head : { ...head, text };
    if (allowed.length === 0) return this.compare('MISSING_AUTHENTICATION_TOKEN', answer, notFound);
    // OPTIONS is ignored, because a stage that allows an origin has OPTIONS on every path.
    const allow = headerOf(answer, 'allow')?.replace(', OPTIONS', '');
    const isExpected = allow?.split(', ').sort().join() === allowed.toSorted().join();
    const found = isExpected ? [] : [`allow is ${allow}, expected ${allowed.join(', ')}`];
    this.compare('unknownMethods', answer, methodNotAllowed, found);
  }

  /**
   * @param name the id of an operation, or the type of a gateway response
   * @param found other problems of the answer
   * @throws CheckFailed if the answer is not as expected and documented
   * @throws OperatorError if the key has no requests left, unless the check expects it
   */
  compare(
    name: string,
    answer: ComparedAnswer & Pick<Answer, 'question'>,
    { status, code }: Expected,
    found: readonly string[] = [],
  ): void {
    if (status !== 429) ensureNotUsedUp(answer);
    const { limit, remaining, reset } = rateLimitOf(answer);
    const isWithoutAllowance = limit === 0 && remaining === 0 && reset === 0;
    const all = [...answer.headers.values()].flat().concat(answer.text ?? '');
    const differences = [
      ...contractDifferences(name, answer),
      ...found,
      ...rateLimitDifferences(answer),
      ...(codesWithoutKey.includes(code) && !isWithoutAllowance
        ? [`the rate-limit headers are ${limit}, ${remaining}, ${reset}, expected 0, 0, 0`]
        : []),
      ...(all.some((text) => text.includes(this.key)) ? ['the response repeats the API key'] : []),
    ];
    // A body that was not read, such as the body of an answer to HEAD, has no code to compare.
    const isCode = !code || answer.text === undefined || codeOf(answer) === code;
    const isExpected = answer.status === status && isCode;
    if (isExpected && differences.length === 0) return;
    throw new CheckFailed(
      [
        `request: ${shownRequest(answer.question)}`,
        `response: ${shown(answer)}`,
        `expected: ${[status, code].filter(Boolean).join(' ')}, as in openapi.yaml`,
        ...new Set(differences),
      ].join('\n'),
    );
  }

  async #ask(question: OutgoingRequest): Promise<Answer> {
    try {
      return await this.#send(question);
    } catch (error) {
      const text = `response: missing or unreadable, ${reasonOf(error)}`;
      throw new CheckFailed(`request: ${shownRequest(question)}\n${text}`, { cause: error });
    }
  }

  #headers({ authorization = `Bearer ${this.key}`, headers }: CallOptions): Record<string, string> {
    return {
      accept: 'application/json',
      ...(authorization === null ? {} : { authorization }),
      ...headers,
    };
  }
}

/** @throws OperatorError if the key's limit is used up, because then no other check says anything about the stage */
export function ensureNotUsedUp(answer: ComparedAnswer): void {
  const retryAfter = headerOf(answer, 'retry-after');
  if (answer.status !== 429 || retryAfter === undefined) return;
  throw new OperatorError(
    `the key has no requests left: try again in ${retryAfter} seconds, or use another key`,
  );
}

function shownRequest({ method, path }: OutgoingRequest): string {
  return `${method} ${path.length > 60 ? `${path.slice(0, 60)}…` : path}`;
}

/** The error code in an answer's body; undefined if there is none. */
export function codeOf({ text = '' }: { readonly text?: string }): string | undefined {
  try {
    const code = JSON.parse(text)?.code;
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Formats an answer on one line: status, content type, request id, and the start of its body. */
export function shown(answer: ComparedAnswer): string {
  const id = headerOf(answer, 'x-amz-apigw-id');
  const type = headerOf(answer, 'content-type') ?? 'no content type';
  const start = (answer.text ?? '').replaceAll(/\p{Cc}+/gu, ' ').slice(0, 160);
  return `${answer.status} (${type}${id === undefined ? '' : `, request id ${id}`}) ${start}`.trim();
}
