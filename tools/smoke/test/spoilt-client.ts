import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Answer, OutgoingRequest, Send } from '../stage/http-client.ts';

/** An answer of the service that can be changed before the smoke test gets it. */
export interface Spoilable {
  status: number;
  /** The values by lower-case name. */
  headers: Record<string, string | undefined>;
  /** The body as text, even if it is sent gzipped. */
  text: string;
}

/** The parts of a request that mistakes depend on. */
export interface Asked {
  readonly method: string;
  /** The path below the base URL, without the query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Changes an answer that would have been right. */
export type Mistake = (answer: Spoilable, asked: Asked) => void;

/** Sends as another sender does, with a mistake in each answer. */
export function spoilt(send: Send, mistake: Mistake): Send {
  return async (question) => {
    const { method, path, headers } = question;
    const answer = await spoilable(await send(question));
    const asked = {
      method,
      path: path.replace(/\?.*$/, ''),
      authorization: headers?.authorization,
    };
    mistake(answer, asked);
    return sent(answer, question);
  };
}

/** Answers each request as the request of the same number was answered. */
export function replayed(answers: readonly Spoilable[]): Send {
  const left = answers.values();
  return async (question) => {
    const { value, done } = left.next();
    if (done) throw new Error('a request more than was recorded');
    return sent(structuredClone(value), question);
  };
}

async function spoilable({ status, headers, body }: Answer): Promise<Spoilable> {
  const bytes = await buffer(body);
  const isGzip = headers.get('content-encoding')?.[0] === 'gzip';
  const values = [...headers].map(([name, value]) => [name, value.join()]);
  const text = (isGzip ? gunzipSync(bytes) : bytes).toString();
  return { status, headers: Object.fromEntries(values), text };
}

function sent({ status, headers, text }: Spoilable, question: OutgoingRequest): Answer {
  const body = headers['content-encoding'] === 'gzip' ? gzipSync(text) : Buffer.from(text);
  const values = Object.entries(headers).filter((entry): entry is [string, string] => !!entry[1]);
  const map = new Map(values.map(([name, value]) => [name, [value]]));
  return { question, durationMs: 0, status, headers: map, body: Readable.from([body]) };
}
