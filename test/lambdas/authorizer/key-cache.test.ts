import { describe, expect, it } from '@jest/globals';
import { KeyCache } from '../../../lambdas/authorizer/key-cache.ts';
import { type KeyState, readKeyState } from '../../../lambdas/authorizer/key-state.ts';
import { address, type Overrides, ownerItem } from '../../helpers/dynamodb/key-items.ts';

const minute = 1_795_000_020;

function keyState(overrides: Overrides = {}): KeyState {
  return readKeyState(ownerItem(overrides), address)!;
}

describe('the cache of keys', () => {
  it('returns the last state of a key', () => {
    const cache = new KeyCache(2);
    cache.set('one', keyState({ minuteCount: 1 }));
    cache.set('one', keyState({ minuteCount: 2 }));

    expect(cache.get('one')?.owner.minuteCount).toBe(2);
    expect(cache.get('other')).toBeUndefined();
  });

  it('deletes a key', () => {
    const cache = new KeyCache(2);
    cache.set('one', keyState());

    cache.delete('one');

    expect(cache.get('one')).toBeUndefined();
  });

  it('evicts the least recently used key when it is full', () => {
    const cache = new KeyCache(2);
    cache.set('one', keyState());
    cache.set('two', keyState());
    cache.get('one');

    cache.set('three', keyState());

    expect(cache.get('two')).toBeUndefined();
    expect(cache.get('one')).toBeDefined();
    expect(cache.get('three')).toBeDefined();
  });

  it('counts a change of its state as a use of a key', () => {
    const cache = new KeyCache(2);
    cache.set('one', keyState());
    cache.set('two', keyState());
    cache.set('one', keyState({ minuteCount: 1 }));

    cache.set('three', keyState());

    expect(cache.get('one')).toBeDefined();
    expect(cache.get('two')).toBeUndefined();
  });

  it('never holds more keys than its capacity', () => {
    const cache = new KeyCache(100);

    for (let index = 0; index < 1_000; index++) cache.set(`key-${index}`, keyState());

    const known = Array.from({ length: 1_000 }, (_, index) => cache.get(`key-${index}`));
    expect(known.filter(Boolean)).toHaveLength(100);
  });

  describe('of rejections that are not counted yet', () => {
    it('adds them up within a minute, and returns them once', () => {
      const cache = new KeyCache(2);
      cache.set('one', keyState());
      cache.addPending('one', minute, 1);
      cache.set('one', keyState({ minuteCount: 1 }));
      cache.addPending('one', minute, 2);

      expect(cache.takePending('one', minute)).toBe(3);
      expect(cache.takePending('one', minute)).toBe(0);
    });

    it('drops those of another minute', () => {
      const cache = new KeyCache(2);
      cache.set('one', keyState());
      cache.addPending('one', minute, 5);

      expect(cache.takePending('one', minute + 60)).toBe(0);

      cache.addPending('one', minute, 5);
      cache.addPending('one', minute + 60, 1);
      expect(cache.takePending('one', minute + 60)).toBe(1);
    });

    it('has none of a key that is not cached', () => {
      const cache = new KeyCache(2);

      cache.addPending('one', minute, 1);

      expect(cache.takePending('one', minute)).toBe(0);
    });
  });
});
