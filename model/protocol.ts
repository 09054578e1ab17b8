import type { Rules } from './rules.ts';
import {
  type Environment,
  type Item,
  type Met,
  minuteOf,
  never,
  type Question,
  type Snapshot,
  snapshotOf,
  type Tick,
} from './state.ts';
import { admitted, countsRejections, keyStatus, refused } from './writes.ts';

/** What a request is told. */
export interface Decision {
  code: 'admitted' | 'full' | 'banned' | 'unauthorized' | 'gave up';
  isBanStart: boolean;
}

/** What an environment does next: it asks a question, or it has a decision. */
export interface Move {
  environment: Environment;
  decision: Decision | undefined;
}

/** What carrying a question out has done to the item, and what the answer shows of it. */
export interface Answer {
  item: Item;
  isDone: boolean;
  snapshot: Snapshot | undefined;
}

const maxAttempts = 4;
const plain = { attempt: 1, rejections: 0, ban: undefined, isRepeated: false, hasBegunBan: false };

/** A request of a key arrives: the memory chooses the question. */
export function ask(environment: Environment, key: number, now: Tick, rules: Rules): Move {
  const at = now + environment.skew;
  const look: Question = { kind: 'look', key, since: now, at, belief: undefined, ...plain };
  const met = environment.memory[key];
  if (!met) return asking(environment, look);
  const { isUsable, isBanned, isVoid, full } = keyStatus(met.snapshot, at, rules);
  if (rules.trustsMemory && isBanned) return finished(environment, 'banned');
  if (rules.trustsMemory && full.length > 0) return finished(environment, 'full');
  if (!isUsable || isBanned || isVoid) return asking(environment, look);
  return askToWrite(environment, { key, since: now }, met.snapshot, at, rules);
}

/** The table carries a question out: in one step, whatever else is under way. */
export function carryOut(item: Item, question: Question, rules: Rules): Answer {
  const { kind, key } = question;
  const written =
    kind === 'look' ? item : (kind === 'admit' ? admitted : refused)(item, question, rules);
  const after = written ?? item;
  return { item: after, isDone: written !== undefined, snapshot: snapshotOf(after, key) };
}

/** The answer arrives. */
export function hear(
  environment: Environment,
  { isDone, snapshot }: Answer,
  now: Tick,
  rules: Rules,
): Move {
  const question = environment.question!;
  const { kind, key } = question;
  // Of an answer to a write, the time is the one that the write was made for.
  const at = kind === 'look' ? now + environment.skew : question.at;
  const status = snapshot && keyStatus(snapshot, at, rules);
  if (!snapshot || !status?.isUsable) {
    return finished(remember(environment, key, undefined), 'unauthorized');
  }
  const knowing = remember(environment, key, seenAs(environment, key, snapshot));
  if (kind === 'admit' && isDone) return finished(knowing, 'admitted');
  const code = status.isBanned ? 'banned' : status.full.length > 0 ? 'full' : undefined;
  if (kind === 'refuse') {
    const isOwn = code === 'banned' && question.ban === snapshot.key.bannedBy;
    const isBanStart = isOwn && (isDone || rules.knowsOwnBan);
    if (code && (isDone || isBanStart)) return finished(knowing, code, isBanStart);
    const uncounted = code === 'full' ? question.rejections : question.rejections - 1;
    const pending = withPending(knowing, key, minuteOf(at), uncounted);
    return code ? finished(pending, code) : askAgain(pending, question, snapshot, 1, now);
  }
  if (kind === 'look') {
    if (status.isBanned) return finished(knowing, 'banned');
    return askToWrite(knowing, question, snapshot, at, rules);
  }
  if (code === 'full') return finished(withPending(knowing, key, minuteOf(at), 1), code);
  if (code) return finished(knowing, code);
  if (question.attempt === maxAttempts) return finished(knowing, 'gave up');
  return askAgain(knowing, question, snapshot, question.attempt + 1, now);
}

/** To refuse where nothing seems to be left, and otherwise to admit. */
function askToWrite(
  environment: Environment,
  { key, since }: Pick<Question, 'key' | 'since'>,
  belief: Snapshot,
  at: Tick,
  rules: Rules,
): Move {
  const write = { key, since, at, belief, ...plain };
  const { full } = keyStatus(belief, at, rules);
  if (full.length === 0) return asking(environment, { kind: 'admit', ...write });
  const met = environment.memory[key];
  const pending = met?.pendingStart === minuteOf(at) ? met.pending : 0;
  const rejections = 1 + pending * rules.pendingWeight;
  const before = countsRejections(belief.key, at) ? belief.key.rejections : 0;
  const isBanDue = rules.isBanDue(before + rejections);
  const taken = withoutPending(environment, key, minuteOf(at));
  const named = isBanDue ? { ...taken, bansNamed: taken.bansNamed + 1 } : taken;
  // No other request names a ban so.
  const ban = isBanDue ? 100 * named.name + named.bansNamed : undefined;
  return asking(named, { kind: 'refuse', ...write, rejections, ban });
}

function askAgain(
  environment: Environment,
  { key, since }: Question,
  belief: Snapshot,
  attempt: number,
  now: Tick,
): Move {
  const at = now + environment.skew;
  return asking(environment, { kind: 'admit', key, since, at, belief, ...plain, attempt });
}

function asking(environment: Environment, question: Question): Move {
  return { environment: { ...environment, question }, decision: undefined };
}

function finished(environment: Environment, code: Decision['code'], isBanStart = false): Move {
  const decision = { code, isBanStart };
  return { environment: { ...environment, question: undefined }, decision };
}

function seenAs({ memory }: Environment, key: number, snapshot: Snapshot): Met {
  const { pendingStart = never, pending = 0 } = memory[key] ?? {};
  return { snapshot, pendingStart, pending };
}

function remember(environment: Environment, key: number, met: Met | undefined): Environment {
  const memory = environment.memory.map((each, index) => (index === key ? met : each));
  return { ...environment, memory };
}

function withPending(environment: Environment, key: number, start: Tick, more: number) {
  const met = environment.memory[key];
  if (!met || more === 0) return environment;
  const earlier = met.pendingStart === start ? met.pending : 0;
  return remember(environment, key, { ...met, pendingStart: start, pending: earlier + more });
}

function withoutPending(environment: Environment, key: number, start: Tick): Environment {
  const met = environment.memory[key];
  if (!met || met.pending === 0) return environment;
  return remember(environment, key, { ...met, pendingStart: start, pending: 0 });
}
