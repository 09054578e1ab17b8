import { describe, expect, it } from '@jest/globals';
import { BufferPool } from '../../../lambdas/list-orders/buffer-pool.ts';

/** The memory that a buffer is a part of, which tells buffers apart. */
const memoryOf = ({ buffer }: Buffer) => buffer;

describe('BufferPool', () => {
  it('gives a released buffer out again, whole, although only a part of it came back', () => {
    const pool = new BufferPool();
    const buffer = pool.acquire(1);

    pool.release(buffer.subarray(3, 7));
    const again = pool.acquire(1);

    expect(memoryOf(again)).toBe(memoryOf(buffer));
    expect(again).toHaveLength(buffer.length);
  });

  it('never gives the same buffer to two', () => {
    const pool = new BufferPool();
    pool.release(pool.acquire(1));

    expect(memoryOf(pool.acquire(1))).not.toBe(memoryOf(pool.acquire(1)));
  });

  it('gives as much as is needed, beyond the size of its own buffers too', () => {
    const pool = new BufferPool();
    const { length } = pool.acquire(1);

    expect(pool.acquire(length)).toHaveLength(length);
    expect(pool.acquire(length + 1)).toHaveLength(length + 1);
  });

  it('keeps no buffer that is larger than its own', () => {
    const pool = new BufferPool();
    const large = pool.acquire(1_000_000);

    pool.release(large);

    expect(memoryOf(pool.acquire(1))).not.toBe(memoryOf(large));
    expect(memoryOf(pool.acquire(1_000_000))).not.toBe(memoryOf(large));
  });

  it('keeps at most 32 buffers, which are 8 MB', () => {
    const pool = new BufferPool();
    const buffers = Array.from({ length: 33 }, () => pool.acquire(1));
    for (const buffer of buffers) pool.release(buffer);

    const again = new Set(buffers.map(() => memoryOf(pool.acquire(1))));

    expect(buffers.map((buffer) => again.has(memoryOf(buffer)))).toEqual([
      ...Array(32).fill(true),
      false,
    ]);
  });
});
