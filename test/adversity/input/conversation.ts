import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../random.ts';
import { type GeneratedRequest, generateEnd, generateRequest } from './generated-request.ts';
import { type RawResponse, ResponseReader } from './response-reader.ts';

/** The requests that a client sends over one connection, and its behaviour. */
export interface Conversation {
  readonly requests: readonly GeneratedRequest[];
  /** Whether the client sends in small parts. */
  readonly isSlowSender: boolean;
  /** Whether the client reads nothing for a while. */
  readonly isSlowReader: boolean;
  /** Whether the client ends its side before it has read everything, as one that disconnects does. */
  readonly isHalfOpen: boolean;
  /** Whether the client disconnects without reading anything. */
  readonly isDisconnecting: boolean;
}

const longestMs = 20_000;

/** Generates the conversation of a seed. @param requests the number of well-formed requests */
export function conversationOf(seed: number, requests: number, key: string): Conversation {
  const random = randomFrom(seed, 'input');
  const readable = Array.from({ length: requests }, () => generateRequest(random, key));
  const isDisconnecting = random.chance(0.03);
  const endsBadly = isDisconnecting || random.chance(0.3);
  return {
    requests: endsBadly ? [...readable, generateEnd(random)] : readable,
    isSlowSender: random.chance(0.1),
    isSlowReader: random.chance(0.1),
    isHalfOpen: random.chance(0.1),
    isDisconnecting,
  };
}

/**
 * Sends a conversation.
 *
 * @returns the responses in order
 * @throws Error when a response is missing or malformed
 */
export async function converse(conversation: Conversation, port: number): Promise<RawResponse[]> {
  const { requests, isHalfOpen, isDisconnecting, isSlowReader } = conversation;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  // The received data show whether the connection ended too early.
  socket.on('error', () => {});
  await once(socket, 'connect');
  const expected = requests.filter(({ isReadable }) => isReadable).length;
  const isEndedByServer = expected < requests.length;
  const responses: RawResponse[] = [];
  const reader = new ResponseReader();
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => reject(new Error(`${responses.length} answers of ${expected}`)),
    longestMs,
  );
  const isHead = (number: number) => requests[number]?.isHead ?? false;
  socket.on('data', (bytes) => {
    try {
      responses.push(...reader.push(bytes, isHead, responses.length));
      if (responses.length < expected) return;
      // The server answers an incomplete request when the client ends its side.
      if (isEndedByServer) socket.end();
      else if (!isHalfOpen) resolve();
    } catch (error) {
      reject(error);
    }
  });
  socket.on('close', () => resolve());
  socket.on('end', () => socket.end());
  if (isSlowReader) {
    socket.pause();
    void wait(20).then(() => socket.resume());
  }
  try {
    await send(conversation, (bytes) => socket.write(bytes));
    if (isDisconnecting) socket.resetAndDestroy();
    else if (isHalfOpen) socket.end();
    await over;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  if (!isDisconnecting && reader.hasRest) throw new Error('the last answer is not whole');
  return responses;
}

async function send({ requests, isSlowSender }: Conversation, write: (bytes: Buffer) => unknown) {
  const bytes = Buffer.concat(requests.map((request) => request.bytes));
  const pieceBytes = isSlowSender ? Math.ceil(bytes.length / 23) : bytes.length;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    write(bytes.subarray(at, at + pieceBytes));
    await nextTurn();
  }
}
