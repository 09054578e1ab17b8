import type { Step } from './events.ts';
import { admittedIn } from './history.ts';
import { rules } from './rules.ts';
import {
  type Command,
  type Snapshot,
  snapshotOf,
  type Tick,
  toleranceTicks,
  tolerated,
  windowNames,
} from './state.ts';
import { keyStatus } from './writes.ts';

/** The invariants by their descriptions. Each returns whether a step satisfies it. */
export const invariants: Readonly<Record<string, (step: Step) => boolean>> = {
  'no more than the limit is admitted in any window': (step) => {
    if (!isWrite(step, 'admit')) return true;
    const { item, history } = step.after;
    return windowNames.every(
      (name) => admittedIn(history, name, item[name].start) <= step.before.item.limits[name],
    );
  },
  'no window moves back, unless no right clock can have begun it': (step) => {
    if (!step.command) return true;
    const { at } = step.command;
    return windowNames.every((name) => {
      const [before, after] = [step.before.item[name].start, step.after.item[name].start];
      return after >= before || before > at + toleranceTicks;
    });
  },
  'nobody is refused for a window that has something left': (step) => {
    if (step.decision?.code !== 'full') return true;
    return statusAtEnd(step).some(({ full }) => full.length > 0);
  },
  'nobody is refused for a ban that does not run': (step) => {
    if (step.decision?.code !== 'banned') return true;
    return statusAtEnd(step).some(({ isBanned }) => isBanned);
  },
  'a key that is revoked, expired or of a suspended owner admits nothing': (step) => {
    if (!isWrite(step, 'admit')) return true;
    return statusBefore(step).some(({ isUsable }) => isUsable);
  },
  'a key that is banned admits nothing': (step) => {
    if (!isWrite(step, 'admit')) return true;
    return statusBefore(step).every(({ isBanned }) => !isBanned);
  },
  'a ban begins only where none runs': (step) => {
    if (!isBanBegun(step)) return true;
    return statusBefore(step).every(({ isBanned }) => !isBanned);
  },
  'a ban is reported by the request that began it, and by no other': (step) => {
    if (!step.decision) return true;
    const hasBegun = isBanBegun(step) || step.command?.hasBegunBan === true;
    // A repeated write may find that the key was revoked, or that its ban was lifted or replaced.
    const isBanned = step.decision.code === 'banned';
    return step.decision.isBanStart ? hasBegun : !hasBegun || !isBanned || isBanOfAnother(step);
  },
  'a ban follows more rejections than are tolerated': (step) => {
    const key = isBanBegun(step) && step.after.item.keys[step.command!.key];
    return !key || key.rejections > tolerated;
  },
  'no rejection is counted that did not happen': (step) =>
    step.after.history.uncounted.every((count) => count >= 0),
  'every request gets an answer': (step) => step.decision?.code !== 'gave up',
};

function isWrite(step: Step, kind: Command['kind']): boolean {
  return step.command?.kind === kind && step.answer!.isDone;
}

function isBanOfAnother({ after, command }: Step): boolean {
  return after.item.keys[command!.key]?.bannedBy !== command!.ban;
}

function isBanBegun(step: Step): boolean {
  return isWrite(step, 'reject') && step.command!.ban !== undefined;
}

/** The key's status before a step: a list of one, or empty if there is no such key. */
function statusBefore({ before, command }: Step) {
  return statusOf(snapshotOf(before.item, command!.key), command!.at);
}

/** The key's status in the answer that completed the request; empty if there was no answer. */
function statusAtEnd({ before, after, command, event }: Step) {
  if (!command || event.kind !== 'answer') return [];
  const { skew } = before.environments[event.environment]!;
  const at = command.kind === 'read' ? before.now + skew : command.at;
  return statusOf(snapshotOf(after.item, command.key), at);
}

function statusOf(snapshot: Snapshot | undefined, at: Tick) {
  return snapshot ? [keyStatus(snapshot, at, rules)] : [];
}
