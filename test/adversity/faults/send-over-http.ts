import type { HttpClient } from '../../../smoke/stage/http-client.ts';
import type { StoreAnswer, StoreRequest } from './store-under-faults.ts';

/** Sends a request, and takes what comes of it. Never rejects. */
export async function sendOverHttp(
  request: StoreRequest,
  client: Pick<HttpClient, 'send'>,
): Promise<StoreAnswer> {
  const chunks: Buffer[] = [];
  let head: Pick<StoreAnswer, 'status' | 'headers'> = { status: undefined, headers: new Map() };
  try {
    const { body, ...rest } = await client.send(request);
    head = rest;
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
    return { ...head, body: Buffer.concat(chunks), isComplete: true };
  } catch {
    return { ...head, body: Buffer.concat(chunks), isComplete: false };
  }
}
