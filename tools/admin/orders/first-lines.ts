const firstSlots = 1_024;

/**
 * The line on which each id was read first. It is an open-addressing hash table in typed arrays, which
 * needs 16 to 32 bytes an id: a `Map` needs four times as many, and ends at 16 million.
 */
export class FirstLines {
  #ids = new BigInt64Array(firstSlots);
  // Lines are counted from 1, so 0 is an empty slot.
  #lines = new Uint32Array(firstSlots);
  #count = 0;

  /** Records the line of an id, unless it has one. Returns the line that it has then. */
  add(id: bigint, line: number): number {
    const slot = this.#slotOf(id);
    if (this.#lines[slot] !== 0) return this.#lines[slot]!;
    this.#ids[slot] = id;
    this.#lines[slot] = line;
    this.#count++;
    if (this.#count * 4 > this.#lines.length * 3) this.#grow();
    return line;
  }

  #slotOf(id: bigint): number {
    const last = this.#lines.length - 1;
    const half = Number(BigInt.asUintN(32, id ^ (id >> 32n)));
    const product = Math.imul(half, 0x9e3779b1);
    let slot = (product ^ (product >>> 15)) & last;
    while (this.#lines[slot] !== 0 && this.#ids[slot] !== id) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const [ids, lines] = [this.#ids, this.#lines];
    this.#ids = new BigInt64Array(2 * ids.length);
    this.#lines = new Uint32Array(2 * lines.length);
    this.#count = 0;
    for (const [index, line] of lines.entries()) if (line !== 0) this.add(ids[index]!, line);
  }
}
