import { describe, expect, it } from '@jest/globals';
import { ScanQueue } from '../../../local/dynamodb/scan-queue.ts';

const { signal } = new AbortController();
/** Waits until all promises that can settle have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Enters scans by name, and notes who has had a turn. */
function observed(queue: ScanQueue) {
  const turns: string[] = [];
  const enter = async (name: string, own: AbortSignal = signal) => {
    const leave = await queue.enter(own);
    turns.push(name);
    return leave;
  };
  return { turns, enter };
}

describe('the queue of scans', () => {
  it('lets as many through as it is for', async () => {
    const { turns, enter } = observed(new ScanQueue(2));

    for (const name of ['a', 'b', 'c']) void enter(name);
    await settled();

    expect(turns).toEqual(['a', 'b']);
  });

  it('gives a turn that is over to who has waited longest', async () => {
    const { turns, enter } = observed(new ScanQueue(1));
    const first = enter('a');
    const second = enter('b');
    void enter('c');

    (await first)();
    await settled();
    const afterOne = [...turns];
    (await second)();
    await settled();

    expect(afterOne).toEqual(['a', 'b']);
    expect(turns).toEqual(['a', 'b', 'c']);
  });

  it('lets someone through at once when nobody is left', async () => {
    const { turns, enter } = observed(new ScanQueue(1));

    (await enter('a'))();
    (await enter('b'))();
    await enter('c');

    expect(turns).toEqual(['a', 'b', 'c']);
  });

  it('gives no turn to who has gone away before', async () => {
    const queue = new ScanQueue(1);

    const gone = queue.enter(AbortSignal.abort(new Error('gone')));

    await expect(gone).rejects.toThrow('gone');
  });

  it('passes over who has gone away', async () => {
    const { turns, enter } = observed(new ScanQueue(1));
    const first = enter('a');
    const leaving = new AbortController();
    const gone = enter('b', leaving.signal);
    const third = enter('c');

    leaving.abort(new Error('gone'));
    (await first)();

    await expect(gone).rejects.toThrow('gone');
    await third;
    expect(turns).toEqual(['a', 'c']);
  });

  it('keeps the turn of who goes away after it has begun', async () => {
    const { turns, enter } = observed(new ScanQueue(1));
    const leaving = new AbortController();
    await enter('a', leaving.signal);
    void enter('b');

    leaving.abort();
    await settled();

    expect(turns).toEqual(['a']);
  });
});
