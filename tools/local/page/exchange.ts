import { create, element, numbers } from './elements.ts';

/** A request of the API. */
export interface ApiRequest {
  readonly method: 'GET' | 'DELETE';
  readonly url: string;
}

/** The result of a request. */
export interface Answer {
  /** Undefined if the server did not answer. */
  readonly response: Response | undefined;
  /** The error's code, if the response is an error of the contract. */
  readonly code?: string;
  /** For a person. */
  readonly message: string;
}

const shownCharacters = 2_000;

/**
 * Sends a request, and shows its answer. After a success, `read` returns a message about the body, or throws if the
 * body is incomplete.
 *
 * @returns undefined if `signal` ended the request
 */
export async function exchange(
  { method, url }: ApiRequest,
  key: string,
  read: (body: string) => string | Promise<string>,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  element('outcome').textContent = 'Waiting …';
  element('exchange').textContent = `${method} ${url}`;
  const startedAt = performance.now();
  let response: Response | undefined;
  let body = new ArrayBuffer();
  let answer: Answer;
  try {
    response = await fetch(url, { method, signal, headers: { Authorization: `Bearer ${key}` } });
    body = await response.arrayBuffer();
    const text = new TextDecoder().decode(body);
    answer = { response, ...(response.ok ? { message: await read(text) } : errorOf(text)) };
  } catch (cause) {
    const reason = `${(cause as Error).message}. Is npm start still running?`;
    answer = { response, message: response ? 'The response broke off.' : reason };
  }
  if (signal?.aborted) return undefined;
  const facts = [`${method} ${url}`, `${numbers.format(performance.now() - startedAt)} ms`];
  facts.push(`${numbers.format(body.byteLength)} bytes`);
  // An operator finds a request in the logs by this id.
  facts.push(`id ${response?.headers.get('x-amz-apigw-id') ?? 'unknown'}`);
  element('exchange').textContent = facts.join(' · ');
  showAnswer(answer, body);
  return answer;
}

/** Reads an error. If it comes from a proxy, it may have another form than the contract's. */
function errorOf(body: string): Pick<Answer, 'code' | 'message'> {
  try {
    const { code, message } = JSON.parse(body);
    if (typeof code === 'string') return { code, message: String(message) };
  } catch {
    // The body is not JSON. The user can open it below the message.
  }
  return { message: 'This is not an error of the API.' };
}

function showAnswer({ response, code, message }: Answer, body: ArrayBuffer): void {
  const status = response ? `${response.status} ${response.statusText}` : 'No response';
  element('outcome').replaceChildren(
    create('strong', { textContent: status }),
    ' ',
    create('code', { textContent: code ?? '' }),
    ` ${message}`,
  );
  const headers = [...(response?.headers ?? [])].map((header) => `${header.join(': ')}\n`);
  const text = new TextDecoder().decode(body);
  const isCut = text.length > shownCharacters;
  element('raw').textContent =
    `${headers.join('')}\n${text.slice(0, shownCharacters)}${isCut ? ' …' : ''}`;
}
