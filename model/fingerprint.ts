import type { Key, Snapshot, State, Window } from './state.ts';

// Where tests run, a global is slow to find.
const { imul } = Math;
const absent = -1;
let low = 0;
let high = 0;

/** A number of 52 bits that stands for a state: equal states have the same. */
export function fingerprint(state: State): number {
  low = 0x811c9dc5;
  high = 0x1b873593;
  const { item, history } = state;
  add(state.now, state.requestsLeft, state.lossesLeft, state.operationsLeft.length);
  for (const operation of state.operationsLeft) add(operation.charCodeAt(0), operation.length);
  addOwner(item);
  for (const key of item.keys) addKey(key);
  for (const { bansNamed, memory, question } of state.environments) {
    add(bansNamed);
    for (const met of memory) {
      addSnapshot(met?.snapshot);
      if (met) add(met.pendingStart, met.pending);
    }
    add(question === undefined ? absent : question.kind.length);
    if (!question) continue;
    add(
      question.key,
      question.since,
      question.at,
      question.attempt,
      question.rejections,
      question.ban ?? absent,
    );
    add(Number(question.isRepeated), Number(question.hasBegunBan));
    addSnapshot(question.belief);
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

/** Two hashes at once: FNV-1a, and the multiplications of MurmurHash3. */
function add(...values: number[]): void {
  for (const value of values) {
    low = imul(low ^ value, 0x01000193);
    low ^= low >>> 15;
    high = imul(high ^ value, 0xcc9e2d51);
    high = imul((high << 13) | (high >>> 19), 5) + 0xe6546b64;
  }
}
