import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RawAnswers } from '../../local/raw-answers.ts';

const answer = jest.fn(() => ({
  statusCode: 404,
  headers: [['X-One', '1']] as [string, string][],
  body: Buffer.from('nö'),
}));

let sent: string;
let socket: Duplex;
let answers: RawAnswers;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  answer.mockClear();
  sent = '';
  socket = new Duplex({
    read: () => {},
    write: (chunk, _, done) => {
      sent += chunk;
      done();
    },
  });
  answers = new RawAnswers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** A request on the connection, and the end of its answer. */
function expectAnswer(complete = true) {
  const incoming = { socket, complete } as unknown as IncomingMessage;
  const outgoing = new EventEmitter();
  answers.expect(incoming, outgoing as ServerResponse);
  return { incoming, close: () => outgoing.emit('close') };
}

describe('an answer to what is no request', () => {
  it('has its status, its headers and its body, and ends the connection', async () => {
    await answers.end(socket, answer);

    const head = 'HTTP/1.1 404 Not Found\r\nX-One: 1\r\nContent-Length: 3\r\nConnection: close';
    expect(sent).toBe(`${head}\r\n\r\nnö`);
    expect(socket.writableEnded).toBe(true);
  });

  it('has no words for a status that has none', async () => {
    await answers.end(socket, () => ({ ...answer(), statusCode: 599 }));

    expect(sent).toMatch(/^HTTP\/1.1 599 \r\n/);
  });

  it('may be missing: then the connection just ends', async () => {
    await answers.end(socket);

    expect([sent, socket.writableEnded]).toEqual(['', true]);
  });

  it('comes after the answers to all earlier requests', async () => {
    const [first, second] = [expectAnswer(), expectAnswer()];
    void answers.end(socket, answer);

    first.close();
    await turn();
    const early = sent;
    second.close();
    await turn();

    expect(early).toBe('');
    expect(sent).toContain('404');
  });

  it('comes at once where the earlier requests have been answered', async () => {
    expectAnswer().close();

    await answers.end(socket, answer);

    expect(sent).toContain('404');
  });

  it('comes once, however much of it cannot be read', async () => {
    await answers.end(socket, answer);

    await answers.end(socket, answer);

    expect(answer).toHaveBeenCalledTimes(1);
    expect(socket.destroyed).toBe(false);
  });

  it('is neither made nor waited with on a connection that cannot be written to', async () => {
    expectAnswer();
    socket.end();

    await answers.end(socket, answer);

    expect(answer).not.toHaveBeenCalled();
    expect(socket.destroyed).toBe(true);
  });

  it('is not made on a connection that ends while it waits for its turn', async () => {
    const { close } = expectAnswer();
    const ended = answers.end(socket, answer);

    socket.end();
    close();
    await ended;

    expect(answer).not.toHaveBeenCalled();
    expect(socket.destroyed).toBe(true);
  });
});

describe('a connection after its last answer', () => {
  it('is read to its end, so that its client gets the answer', async () => {
    await answers.end(socket, answer);

    socket.push('more');
    socket.push(null);
    await once(socket, 'close');

    expect(jest.getTimerCount()).toBe(0);
  });

  it('is destroyed when its client does not end it within a second', async () => {
    await answers.end(socket, answer);

    jest.advanceTimersByTime(999);
    const before = socket.destroyed;
    jest.advanceTimersByTime(1);

    expect([before, socket.destroyed]).toEqual([false, true]);
  });

  it('may fail without harm', async () => {
    await answers.end(socket, answer);

    socket.emit('error', new Error('reset'));

    expect(socket.destroyed).toBe(true);
  });
});

describe('the unfinished request of a connection', () => {
  it('is the last one, while a part of its body is missing', () => {
    expectAnswer();
    const { incoming } = expectAnswer(false);

    expect(answers.unfinished(socket)).toBe(incoming);
  });

  it('is none where the last one is complete, or there is none', () => {
    const before = answers.unfinished(socket);
    expectAnswer(false);
    expectAnswer();

    expect([before, answers.unfinished(socket)]).toEqual([undefined, undefined]);
  });
});
