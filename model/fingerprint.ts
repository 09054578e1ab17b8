import type { Key, Snapshot, State, Window } from './state.ts';

// Jest runs tests in a context in which the access to a global is slow.
const { imul } = Math;
const absent = -1;
let low = 0;
let high = 0;

/** A 52-bit hash of a state. */
export function fingerprint(state: State): number {
  low = 0x811c9dc5;
  high = 0x1b873593;
  const { item, history } = state;
  add(state.now, state.requestsLeft, state.lossesLeft, state.operationsLeft.length);
  // The first and the third letter identify an operation.
  for (const operation of state.operationsLeft) {
    add(operation.charCodeAt(0), operation.charCodeAt(2));
  }
  addOwner(item);
  for (const key of item.keys) addKey(key);
  for (const { banCount, cache, command } of state.environments) {
    add(banCount);
    for (const cached of cache) {
      addSnapshot(cached?.snapshot);
      if (cached) add(cached.pendingStart, cached.pending);
    }
    // The kinds of commands have names of different lengths.
    add(command === undefined ? absent : command.kind.length);
    if (!command) continue;
    add(
      command.key,
      command.since,
      command.at,
      command.attempt,
      command.rejections,
      command.ban ?? absent,
    );
    add(Number(command.isRepeated), Number(command.hasBegunBan));
    addSnapshot(command.expected);
  }
  for (const { start, count } of history.admitted.minute) add(start, count);
  for (const { start, count } of history.admitted.day) add(start, count);
  for (const count of history.uncounted) add(count);
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}

function addSnapshot(snapshot: Snapshot | undefined): void {
  if (snapshot) {
    addOwner(snapshot);
    addKey(snapshot.key);
  } else add(absent);
}

function addOwner({ isActive, limits, minute, day }: Omit<Snapshot, 'key'>): void {
  add(Number(isActive), limits.minute, limits.day);
  addWindow(minute);
  addWindow(day);
}

function addWindow({ start, count, priorStart, priorCount }: Window): void {
  add(start, count, priorStart, priorCount);
}

function addKey(key: Key | undefined): void {
  if (!key) add(absent);
  else add(key.expiresAt, key.bannedUntil, key.bannedBy, key.rejectionsStart, key.rejections);
}

/** Adds values to two hashes: FNV-1a with an additional shift, and the block step of MurmurHash3. */
function add(...values: number[]): void {
  for (const value of values) {
    low = imul(low ^ value, 0x01000193);
    low ^= low >>> 15;
    high = imul(high ^ value, 0xcc9e2d51);
    high = imul((high << 13) | (high >>> 19), 5) + 0xe6546b64;
  }
}
