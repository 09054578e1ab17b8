import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../random.ts';
import { type GeneratedRequest, generateEnd, generateRequest } from './generated-request.ts';
import { type RawResponse, ResponseReader } from './response-reader.ts';

/** All that a client sends over one connection, and how it behaves meanwhile. */
export interface Conversation {
  readonly requests: readonly GeneratedRequest[];
  /** Sends in pieces. */
  readonly isSlowSender: boolean;
  /** Reads nothing for a moment. */
  readonly isSlowReader: boolean;
  /** Has no more to say before it has heard all: the server may take it for one that has left. */
  readonly isHalfOpen: boolean;
  /** Leaves without hearing anything. */
  readonly isRude: boolean;
}

const longestMs = 20_000;

/** What a client sends by a seed. @param requests how many can be read */
export function conversationOf(seed: number, requests: number, key: string): Conversation {
  const random = randomFrom(seed, 'input');
  const readable = Array.from({ length: requests }, () => generateRequest(random, key));
  const isRude = random.chance(0.03);
  const endsBadly = isRude || random.chance(0.3);
  return {
    requests: endsBadly ? [...readable, generateEnd(random)] : readable,
    isSlowSender: random.chance(0.1),
    isSlowReader: random.chance(0.1),
    isHalfOpen: random.chance(0.1),
    isRude,
  };
}

/**
 * Sends a conversation.
 *
 * @returns the responses, in their order
 * @throws Error when one does not come, or is none
 */
export async function converse(conversation: Conversation, port: number): Promise<RawResponse[]> {
  const { requests, isHalfOpen, isRude, isSlowReader } = conversation;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  // How it ends shows in what has come by then.
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
      // What is not whole ends with the client's side of the connection.
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
    if (isRude) socket.resetAndDestroy();
    else if (isHalfOpen) socket.end();
    await over;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  if (!isRude && reader.hasRest) throw new Error('the last answer is not whole');
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
