import type { Rules } from './rules.ts';
import {
  type CachedKey,
  type Command,
  type Environment,
  type Item,
  minuteOf,
  never,
  type Snapshot,
  snapshotOf,
  type Tick,
} from './state.ts';
import { admitted, countsRejections, keyStatus, rejected } from './writes.ts';

/** The decision on a request. */
export interface Decision {
  code: 'admitted' | 'full' | 'banned' | 'unauthorized' | 'gave up';
  isBanStart: boolean;
}

/** The next state of an environment, which has either a command under way or a decision. */
interface Transition {
  environment: Environment;
  decision: Decision | undefined;
}

/** The item after a command, and what the answer to the command returns of it. */
export interface Answer {
  item: Item;
  isDone: boolean;
  snapshot: Snapshot | undefined;
}

const maxAttempts = 4;
const plain = { attempt: 1, rejections: 0, ban: undefined, isRepeated: false, hasBegunBan: false };

/** A request arrives. The cached state of its key selects the command. */
export function startRequest(
  environment: Environment,
  key: number,
  now: Tick,
  rules: Rules,
): Transition {
  const at = now + environment.skew;
  const read: Command = { kind: 'read', key, since: now, at, expected: undefined, ...plain };
  const cached = environment.cache[key];
  if (!cached) return sending(environment, read);
  const { isUsable, isBanned, isVoid, full } = keyStatus(cached.snapshot, at, rules);
  if (rules.trustsCache && isBanned) return finishing(environment, 'banned');
  if (rules.trustsCache && full.length > 0) return finishing(environment, 'full');
  if (!isUsable || isBanned || isVoid) return sending(environment, read);
  return sendWrite(environment, { key, since: now }, cached.snapshot, at, rules);
}

/** The table executes a command atomically. */
export function execute(item: Item, command: Command, rules: Rules): Answer {
  const { kind, key } = command;
  const written =
    kind === 'read' ? item : (kind === 'admit' ? admitted : rejected)(item, command, rules);
  const after = written ?? item;
  return { item: after, isDone: written !== undefined, snapshot: snapshotOf(after, key) };
}

/** The answer to a command arrives at its environment. */
export function handleAnswer(
  environment: Environment,
  { isDone, snapshot }: Answer,
  now: Tick,
  rules: Rules,
): Transition {
  const command = environment.command!;
  const { kind, key } = command;
  // The answer to a write is evaluated for the time for which the write was made.
  const at = kind === 'read' ? now + environment.skew : command.at;
  const status = snapshot && keyStatus(snapshot, at, rules);
  if (!snapshot || !status?.isUsable) {
    return finishing(withCached(environment, key, undefined), 'unauthorized');
  }
  const updated = withCached(environment, key, cachedAs(environment, key, snapshot));
  if (kind === 'admit' && isDone) return finishing(updated, 'admitted');
  const code = status.isBanned ? 'banned' : status.full.length > 0 ? 'full' : undefined;
  if (kind === 'reject') {
    const isOwn = code === 'banned' && command.ban === snapshot.key.bannedBy;
    const isBanStart = isOwn && (isDone || rules.recognisesOwnBan);
    if (code && (isDone || isBanStart)) return finishing(updated, code, isBanStart);
    const uncounted = code === 'full' ? command.rejections : command.rejections - 1;
    const pending = withPending(updated, key, minuteOf(at), uncounted);
    return code ? finishing(pending, code) : retryAdmission(pending, command, snapshot, 1, now);
  }
  if (kind === 'read') {
    if (status.isBanned) return finishing(updated, 'banned');
    return sendWrite(updated, command, snapshot, at, rules);
  }
  if (code === 'full') return finishing(withPending(updated, key, minuteOf(at), 1), code);
  if (code) return finishing(updated, code);
  if (command.attempt === maxAttempts) return finishing(updated, 'gave up');
  return retryAdmission(updated, command, snapshot, command.attempt + 1, now);
}

/** Sends a write that rejects the request if a window is expected to be full, or else admits it. */
function sendWrite(
  environment: Environment,
  { key, since }: Pick<Command, 'key' | 'since'>,
  expected: Snapshot,
  at: Tick,
  rules: Rules,
): Transition {
  const write = { key, since, at, expected, ...plain };
  const { full } = keyStatus(expected, at, rules);
  if (full.length === 0) return sending(environment, { kind: 'admit', ...write });
  const cached = environment.cache[key];
  const pending = cached?.pendingStart === minuteOf(at) ? cached.pending : 0;
  const rejections = 1 + pending * rules.pendingWeight;
  const before = countsRejections(expected.key, at) ? expected.key.rejections : 0;
  const isBanDue = rules.isBanDue(before + rejections);
  const withoutTaken = withoutPending(environment, key, minuteOf(at));
  const named = isBanDue ? { ...withoutTaken, banCount: withoutTaken.banCount + 1 } : withoutTaken;
  // The name of a ban is unique: no other environment has this name.
  const ban = isBanDue ? 100 * named.name + named.banCount : undefined;
  return sending(named, { kind: 'reject', ...write, rejections, ban });
}

function retryAdmission(
  environment: Environment,
  { key, since }: Command,
  expected: Snapshot,
  attempt: number,
  now: Tick,
): Transition {
  const at = now + environment.skew;
  return sending(environment, { kind: 'admit', key, since, at, expected, ...plain, attempt });
}

function sending(environment: Environment, command: Command): Transition {
  return { environment: { ...environment, command }, decision: undefined };
}

function finishing(
  environment: Environment,
  code: Decision['code'],
  isBanStart = false,
): Transition {
  const decision = { code, isBanStart };
  return { environment: { ...environment, command: undefined }, decision };
}

function cachedAs({ cache }: Environment, key: number, snapshot: Snapshot): CachedKey {
  const { pendingStart = never, pending = 0 } = cache[key] ?? {};
  return { snapshot, pendingStart, pending };
}

function withCached(
  environment: Environment,
  key: number,
  cached: CachedKey | undefined,
): Environment {
  const cache = environment.cache.map((each, index) => (index === key ? cached : each));
  return { ...environment, cache };
}

function withPending(environment: Environment, key: number, start: Tick, more: number) {
  const cached = environment.cache[key];
  if (!cached || more === 0) return environment;
  const earlier = cached.pendingStart === start ? cached.pending : 0;
  return withCached(environment, key, { ...cached, pendingStart: start, pending: earlier + more });
}

function withoutPending(environment: Environment, key: number, start: Tick): Environment {
  const cached = environment.cache[key];
  if (!cached || cached.pending === 0) return environment;
  return withCached(environment, key, { ...cached, pendingStart: start, pending: 0 });
}
