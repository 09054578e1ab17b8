import type { Step } from './events.ts';
import { admittedIn } from './history.ts';
import { rules } from './rules.ts';
import {
  type Question,
  type Snapshot,
  snapshotOf,
  type Tick,
  toleranceTicks,
  tolerated,
  windowNames,
} from './state.ts';
import { keyStatus } from './writes.ts';

/** What must hold for every step, by what it says. Each tells whether a step keeps it. */
export const invariants: Readonly<Record<string, (step: Step) => boolean>> = {
  'no more than the limit is admitted in any window': (step) => {
    if (!isWrite(step, 'admit')) return true;
    const { item, history } = step.after;
    return windowNames.every(
      (name) => admittedIn(history, name, item[name].start) <= step.before.item.limits[name],
    );
  },
  'no window moves back, unless no right clock can have begun it': (step) => {
    if (!step.question) return true;
    const { at } = step.question;
    return windowNames.every((name) => {
      const [before, after] = [step.before.item[name].start, step.after.item[name].start];
      return after >= before || before > at + toleranceTicks;
    });
  },
  'nobody is refused for a window that has something left': (step) => {
    if (step.decision?.code !== 'full') return true;
    return seenAtEnd(step).some(({ full }) => full.length > 0);
  },
  'nobody is refused for a ban that does not run': (step) => {
    if (step.decision?.code !== 'banned') return true;
    return seenAtEnd(step).some(({ isBanned }) => isBanned);
  },
  'a key that is revoked, expired or of a suspended owner admits nothing': (step) => {
    if (!isWrite(step, 'admit')) return true;
    return seenBefore(step).some(({ isUsable }) => isUsable);
  },
  'a key that is banned admits nothing': (step) => {
    if (!isWrite(step, 'admit')) return true;
    return seenBefore(step).every(({ isBanned }) => !isBanned);
  },
  'a ban begins only where none runs': (step) => {
    if (!isBanBegun(step)) return true;
    return seenBefore(step).every(({ isBanned }) => !isBanned);
  },
  'a ban is told by the request that began it, and by no other': (step) => {
    if (!step.decision) return true;
    const hasBegun = isBanBegun(step) || step.question?.hasBegunBan === true;
    // A repeated write may find the key withdrawn or its ban lifted; another ban has another name.
    const isToldOf = step.decision.code === 'banned';
    return step.decision.isBanStart ? hasBegun : !hasBegun || !isToldOf || isBanOfAnother(step);
  },
  'a ban follows more rejections than are tolerated': (step) => {
    const key = isBanBegun(step) && step.after.item.keys[step.question!.key];
    return !key || key.rejections > tolerated;
  },
  'no rejection is counted that there was not': (step) =>
    step.after.history.uncounted.every((count) => count >= 0),
  'every request gets an answer': (step) => step.decision?.code !== 'gave up',
};

function isWrite(step: Step, kind: Question['kind']): boolean {
  return step.question?.kind === kind && step.answer!.isDone;
}

function isBanOfAnother({ after, question }: Step): boolean {
  return after.item.keys[question!.key]?.bannedBy !== question!.ban;
}

function isBanBegun(step: Step): boolean {
  return isWrite(step, 'refuse') && step.question!.ban !== undefined;
}

/** What the item meant to the request at the moment of a step: nothing where there is no such key. */
function seenBefore({ before, question }: Step) {
  return meaningOf(snapshotOf(before.item, question!.key), question!.at);
}

/** As the answer that ended the request has shown it; nothing where nothing was asked. */
function seenAtEnd({ before, after, question, event }: Step) {
  if (!question || event.kind !== 'answer') return [];
  const { skew } = before.environments[event.environment]!;
  const at = question.kind === 'look' ? before.now + skew : question.at;
  return meaningOf(snapshotOf(after.item, question.key), at);
}

function meaningOf(snapshot: Snapshot | undefined, at: Tick) {
  return snapshot ? [keyStatus(snapshot, at, rules)] : [];
}
