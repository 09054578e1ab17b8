import type { Answer, OutgoingRequest } from './http-client.ts';

/** The cost of requests, and the evidence of those whose answers differ. */
interface Exchanged {
  readonly requests: number;
  readonly bytes: number;
  /** A line for each answer that differs from the contract, or for the last one if none does. */
  readonly evidence: readonly string[];
}

interface Exchange {
  readonly request: string;
  readonly sentAtMs: number;
  /** The status; absent while there is no answer. */
  status?: number;
  requestId?: string | undefined;
  elapsedMs?: number;
  bytes: number;
  start: string;
  isAtFault: boolean;
}

const mostEvidence = 2;
const startLength = 160;

/** Records the requests and answers of the checks, one check after the other. */
export class Exchanges {
  #exchanges: Exchange[] = [];
  readonly #byAnswer = new WeakMap<object, Exchange>();

  /** Records a request before it is sent. Returns a function that records its answer. */
  begin({ method, path }: OutgoingRequest): (answer: Answer) => void {
    const sentAtMs = performance.now();
    const request = `${method} ${path.length > 60 ? `${path.slice(0, 60)}…` : path}`;
    const exchange: Exchange = { request, sentAtMs, bytes: 0, start: '', isAtFault: false };
    this.#exchanges.push(exchange);
    return (answer) => {
      exchange.status = answer.status;
      exchange.requestId = answer.headers.get('x-amzn-requestid')?.[0];
      exchange.elapsedMs = performance.now() - sentAtMs;
      this.#byAnswer.set(answer.headers, exchange);
    };
  }

  /** Records a part of an answer's body. @param text the start of the part, for the evidence */
  received(answer: Pick<Answer, 'headers'>, bytes: number, text = ''): void {
    const exchange = this.#byAnswer.get(answer.headers);
    if (exchange === undefined) return;
    exchange.bytes += bytes;
    exchange.elapsedMs = performance.now() - exchange.sentAtMs;
    if (exchange.start.length < startLength) exchange.start += text.slice(0, startLength);
  }

  /** Marks an answer as different from what was expected. */
  markDifferent(answer: Pick<Answer, 'headers'>): void {
    const exchange = this.#byAnswer.get(answer.headers);
    if (exchange !== undefined) exchange.isAtFault = true;
  }

  /** Returns what was recorded since the last call. */
  take(): Exchanged {
    const exchanges = this.#exchanges;
    this.#exchanges = [];
    const faulty = exchanges.filter(({ isAtFault }) => isAtFault).slice(0, mostEvidence);
    const shown = faulty.length > 0 ? faulty : exchanges.slice(-1);
    return {
      requests: exchanges.length,
      bytes: exchanges.reduce((sum, { bytes }) => sum + bytes, 0),
      evidence: shown.map(evidenceOf),
    };
  }
}

function evidenceOf({ request, status, requestId, elapsedMs, start }: Exchange): string {
  if (status === undefined) return `${request}: no answer`;
  const body = start.replaceAll(/\p{Cc}+/gu, ' ').slice(0, startLength);
  return (
    `${request}: ${status} in ${Math.round(elapsedMs ?? 0)} ms, ` +
    `${requestId === undefined ? 'without a request id' : `request ${requestId}`}, ` +
    `${body === '' ? 'without a body' : `body ${body}`}`
  );
}
