import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConnectionTurns } from '../../local/connection-turns.ts';

/** A connection, of which the test sees whether it is read. */
class FakeSocket {
  isRead = true;
  destroyed = false;

  pause(): void {
    this.isRead = false;
  }

  resume(): void {
    this.isRead = true;
  }
}

let socket: FakeSocket;
let turns: ConnectionTurns;
let served: { name: string; answer: () => void }[];

beforeEach(() => {
  socket = new FakeSocket();
  turns = new ConnectionTurns();
  served = [];
});

function arrive(requests: number, from = socket): void {
  for (let index = 0; index < requests; index++) {
    const connection = from as unknown as Socket;
    const answer = () => turns.release(connection);
    turns.take(connection, () => served.push({ name: `request ${index}`, answer }));
  }
}

function answerNext(answers: number): void {
  for (let index = 0; index < answers; index++) served.shift()!.answer();
}

const names = () => served.map(({ name }) => name);

describe('the requests of a connection', () => {
  it('are served at once as long as there are few', () => {
    arrive(8);

    expect(names()).toEqual(Array.from({ length: 8 }, (_, index) => `request ${index}`));
  });

  it('wait in their order when there are many, each until one is answered', () => {
    arrive(12);
    const first = served.length;

    answerNext(2);

    expect(first).toBe(8);
    expect(names().slice(-2)).toEqual(['request 8', 'request 9']);
  });

  it('wait for those of their own connection alone', () => {
    arrive(100);
    served = [];

    arrive(1, new FakeSocket());

    expect(names()).toEqual(['request 0']);
  });

  it('are not served any more when it has closed', () => {
    arrive(12);

    socket.destroyed = true;
    answerNext(8);

    expect(served).toEqual([]);
  });

  it('are read no further while very many wait', () => {
    const isRead = [];

    arrive(8 + 64);
    isRead.push(socket.isRead);
    arrive(1);
    isRead.push(socket.isRead);
    // Node resumes a connection whenever an answer is complete.
    arrive(10);
    socket.resume();
    answerNext(1);
    isRead.push(socket.isRead);
    answerNext(10);
    isRead.push(socket.isRead);

    expect(isRead).toEqual([true, false, false, true]);
  });

  it('leave it to Node when to read where not so many wait', () => {
    arrive(8 + 64);
    // Node pauses a connection whose client does not take its answers.
    socket.pause();

    answerNext(1);

    expect(socket.isRead).toBe(false);
  });
});
