/** Large enough that pieces are few, small enough for the last one of a page not to waste much. */
export const pieceBytes = 256 * 1024;
const mostKept = 32;

/**
 * Memory for orders that wait to be sent, used over and over. It lies outside of JavaScript's heap,
 * whose garbage collector comes by when the heap asks for it: left to that, dozens of megabytes of
 * it would be lying about. So nothing that is handed to a reader, who may keep it, comes from here.
 */
export class PiecePool {
  private readonly free: Buffer[] = [];

  /** A buffer of `pieceBytes`, or more if that is needed, with anything in it. */
  take(neededBytes: number): Buffer {
    if (neededBytes > pieceBytes) return Buffer.allocUnsafeSlow(neededBytes);
    return this.free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
  }

  /** Ends the use of a piece, of which the given buffer may be a part. */
  giveBack({ buffer }: Buffer): void {
    if (buffer.byteLength === pieceBytes && this.free.length < mostKept) {
      this.free.push(Buffer.from(buffer));
    }
  }
}
