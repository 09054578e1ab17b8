import { describe, expect, it } from '@jest/globals';
import { KeyMemory } from '../../../lambdas/authorizer/key-memory.ts';
import { type KeyState, readKeyState } from '../../../lambdas/authorizer/key-state.ts';
import { address, type Overrides, ownerItem } from '../../helpers/key-items.ts';

const minute = 1_795_000_020;

function seen(overrides: Overrides = {}): KeyState {
  return readKeyState(ownerItem(overrides), address)!;
}

describe('the memory of keys', () => {
  it('knows a key as it was last seen', () => {
    const memory = new KeyMemory(2);
    memory.remember('one', seen({ minuteCount: 1 }));
    memory.remember('one', seen({ minuteCount: 2 }));

    expect(memory.recall('one')?.state.owner.minuteCount).toBe(2);
    expect(memory.recall('other')).toBeUndefined();
  });

  it('forgets a key that it is told to forget', () => {
    const memory = new KeyMemory(2);
    memory.remember('one', seen());

    memory.forget('one');

    expect(memory.recall('one')).toBeUndefined();
  });

  it('forgets the key that was used longest ago when it is full', () => {
    const memory = new KeyMemory(2);
    memory.remember('one', seen());
    memory.remember('two', seen());
    memory.recall('one');

    memory.remember('three', seen());

    expect(memory.recall('two')).toBeUndefined();
    expect(memory.recall('one')).toBeDefined();
    expect(memory.recall('three')).toBeDefined();
  });

  it('holds no more than it may, however many keys it meets', () => {
    const memory = new KeyMemory(100);

    for (let index = 0; index < 1_000; index++) memory.remember(`key-${index}`, seen());

    const known = Array.from({ length: 1_000 }, (_, index) => memory.recall(`key-${index}`));
    expect(known.filter(Boolean)).toHaveLength(100);
  });

  describe('of rejections that are not counted yet', () => {
    it('adds them up within a minute, and gives them out once', () => {
      const memory = new KeyMemory(2);
      memory.remember('one', seen());
      memory.addPending('one', minute, 1);
      memory.remember('one', seen({ minuteCount: 1 }));
      memory.addPending('one', minute, 2);

      expect(memory.takePending('one', minute)).toBe(3);
      expect(memory.takePending('one', minute)).toBe(0);
    });

    it('drops those of another minute', () => {
      const memory = new KeyMemory(2);
      memory.remember('one', seen());
      memory.addPending('one', minute, 5);

      expect(memory.takePending('one', minute + 60)).toBe(0);

      memory.addPending('one', minute, 5);
      memory.addPending('one', minute + 60, 1);
      expect(memory.takePending('one', minute + 60)).toBe(1);
    });

    it('has none of a key that it does not know', () => {
      const memory = new KeyMemory(2);

      memory.addPending('one', minute, 1);

      expect(memory.takePending('one', minute)).toBe(0);
    });
  });
});
