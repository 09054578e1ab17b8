const emptySlot = 0;
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

/**
 * A set of ids, each given by its digits in some buffer. An id is exact at any length, as it is in a
 * set of strings, but a page of ids makes no thousands of strings for the garbage collector to move.
 */
export class IdSet {
  /** How many ids are in the set. */
  size = 0;
  /** One after the other: each id's length and its digits. */
  private entries = Buffer.alloc(1024);
  /** Where the next entry goes; none is at 0, which stands for an empty slot. */
  private entriesEnd = 1;
  /** Open addressing: an id's entry is in the first slot, from its hash on, that was free for it. */
  private slots = new Int32Array(64);

  add(bytes: Uint8Array, start: number, end: number): void {
    const slot = this.findSlot(bytes, start, end);
    if (this.slots[slot] !== emptySlot) return;
    this.slots[slot] = this.append(bytes, start, end);
    if (2 * ++this.size > this.slots.length) this.rehash();
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    return this.slots[this.findSlot(bytes, start, end)] !== emptySlot;
  }

  /** The slot that the id is in, or else the one that it would be in. */
  private findSlot(bytes: Uint8Array, start: number, end: number): number {
    const mask = this.slots.length - 1;
    let slot = hash(bytes, start, end) & mask;
    while (this.slots[slot] !== emptySlot && !this.isEntry(this.slots[slot]!, bytes, start, end)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private isEntry(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { entries } = this;
    if (entries[entry] !== end - start) return false;
    for (let at = start, digit = entry + 1; at < end; at++, digit++) {
      if (bytes[at] !== entries[digit]) return false;
    }
    return true;
  }

  private append(bytes: Uint8Array, start: number, end: number): number {
    const entry = this.entriesEnd;
    this.entriesEnd = entry + 1 + end - start;
    if (this.entriesEnd > this.entries.length) {
      this.entries = Buffer.concat([this.entries], 2 * this.entriesEnd);
    }
    this.entries[entry] = end - start;
    for (let at = start, digit = entry + 1; at < end; at++, digit++) {
      this.entries[digit] = bytes[at]!;
    }
    return entry;
  }

  private rehash(): void {
    this.slots = new Int32Array(2 * this.slots.length);
    for (let entry = 1; entry < this.entriesEnd; ) {
      const end = entry + 1 + this.entries[entry]!;
      this.slots[this.findSlot(this.entries, entry + 1, end)] = entry;
      entry = end;
    }
  }
}

/** FNV-1a. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = fnvOffset;
  for (let at = start; at < end; at++) value = Math.imul(value ^ bytes[at]!, fnvPrime);
  // Its low bits, which choose the slot, know too little of the high ones.
  return value ^ (value >>> 15);
}
