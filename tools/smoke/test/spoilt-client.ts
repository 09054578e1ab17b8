import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Answer } from '../stage/http-client.ts';
import type { Client } from '../stage/stage.ts';

/** An answer of the service that can be changed before the smoke test gets it. */
export interface Spoilable {
  status: number;
  /** The values by lower-case name. */
  headers: Record<string, string | undefined>;
  /** The body as text, also where it is sent gzipped. */
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

/** A client whose answers have a mistake. */
export function spoilt(client: Client, mistake: Mistake): Client {
  return {
    baseUrl: client.baseUrl,
    async send(question) {
      const { method, path, headers } = question;
      const answer = await spoilable(await client.send(question));
      const asked = {
        method,
        path: path.replace(/\?.*$/, ''),
        authorization: headers?.authorization,
      };
      mistake(answer, asked);
      return sent(answer);
    },
  };
}

/** A client that answers each request as another client answered the request of the same number. */
export function replayed(baseUrl: URL, answers: readonly Spoilable[]): Client {
  const left = answers.values();
  return {
    baseUrl,
    async send() {
      const { value, done } = left.next();
      if (done) throw new Error('a request more than was recorded');
      return sent(structuredClone(value));
    },
  };
}

async function spoilable({ status, headers, body }: Answer): Promise<Spoilable> {
  const bytes = await buffer(body);
  const isGzip = headers.get('content-encoding')?.[0] === 'gzip';
  const values = [...headers].map(([name, value]) => [name, value.join()]);
  const text = (isGzip ? gunzipSync(bytes) : bytes).toString();
  return { status, headers: Object.fromEntries(values), text };
}

function sent({ status, headers, text }: Spoilable): Answer {
  const body = headers['content-encoding'] === 'gzip' ? gzipSync(text) : Buffer.from(text);
  const values = Object.entries(headers).filter((entry): entry is [string, string] => !!entry[1]);
  const map = new Map(values.map(([name, value]) => [name, [value]]));
  return { status, headers: map, body: Readable.from([body]) };
}
