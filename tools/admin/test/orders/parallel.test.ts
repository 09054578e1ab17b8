import { expect, it } from '@jest/globals';
import { inParallel } from '../../orders/parallel.ts';

it('starts no action after the first failure, also with things for which others wait already', async () => {
  const started: number[] = [];
  const failed = Promise.withResolvers<void>();
  async function* things() {
    yield 1;
    await failed.promise;
    yield* [2, 3, 4];
  }

  const acting = inParallel(things(), async (thing) => {
    started.push(thing);
    setImmediate(failed.resolve);
    throw new Error(`thing ${thing}`);
  });

  await expect(acting).rejects.toThrow('thing 1');
  expect(started).toEqual([1]);
});
