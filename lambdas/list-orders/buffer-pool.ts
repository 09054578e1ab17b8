/** A page needs only a few buffers of this size, and its last one wastes little memory. */
const bufferBytes = 256 * 1024;
const maxFreeBuffers = 32;

/**
 * Reuses the buffers that orders are written to. Their memory is outside of JavaScript's heap, whose
 * size is what triggers garbage collection, so unused buffers would add up to dozens of megabytes.
 * A stream's reader may keep what it receives, so it is given copies and never these buffers.
 */
export class BufferPool {
  private readonly free: Buffer[] = [];

  /** Returns a buffer with at least the given size and with arbitrary content. */
  acquire(neededBytes: number): Buffer {
    if (neededBytes > bufferBytes) return Buffer.allocUnsafeSlow(neededBytes);
    return this.free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  }

  /** Makes a buffer available again. @param buffer one from `acquire`, or a part of it */
  release({ buffer }: Buffer): void {
    if (buffer.byteLength === bufferBytes && this.free.length < maxFreeBuffers) {
      this.free.push(Buffer.from(buffer));
    }
  }
}
