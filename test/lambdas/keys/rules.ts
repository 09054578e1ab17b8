import { UnauthorizedError } from '../../../lambdas/contract/errors.ts';
import type { Step } from './exploration.ts';
import {
  isBannedAt,
  isFullAt,
  isUsableAt,
  type StoredState,
  toleranceSeconds,
  windowNames,
} from './stored-state.ts';

/* The rules that hold in every step of every scenario. */

/** A rule. Returns true if the rule holds in a step, or does not concern the step. */
type Rule = (step: Step) => boolean;

/** A rule about the steps in which an execution environment's write took effect. */
function ofWrites(rule: (step: Step, write: NonNullable<Step['executed']>) => boolean): Rule {
  return (step) => !step.executed?.isDone || rule(step, step.executed);
}

/** Whether the execution environment has learnt that its write took effect. */
const isConfirmed = ({ executed }: Step) => Boolean(executed?.isDone && !executed.isAnswerLost);

/** Whether a write counted a request in a window. All other writes count a rejection. */
const isAdmission = ({ before, after }: Step) =>
  windowNames.some(
    (name) => before[name].start !== after[name].start || before[name].count !== after[name].count,
  );

function isBanBegun({ before, after, executed }: Step): boolean {
  const [was, is] = [before, after].map(({ keys }) => keys[executed!.key]?.bannedUntil ?? 0);
  return is !== was && is !== 0;
}

/** How a request ended: `admitted`, or the code of its rejection; undefined if it did not end or failed. */
function outcomeOf({ end }: Step) {
  if (!end) return undefined;
  if ('decision' in end) return end.decision.rejection?.code ?? 'admitted';
  return end.error instanceof UnauthorizedError ? 'unauthorized' : undefined;
}

/** What an item has to show at a time, so that a request may be rejected with a code. */
const reasons: Record<string, (state: StoredState, key: number, time: number) => boolean> = {
  rate_limit_exceeded: (state, _key, time) => isFullAt(state, time),
  quota_exceeded: (state, _key, time) => isFullAt(state, time),
  api_key_banned: isBannedAt,
  unauthorized: (...given) => !isUsableAt(...given),
};

const rules: Record<string, Rule> = {
  'admits no more than the limit in a window': ofWrites(
    (step) =>
      !isAdmission(step) ||
      windowNames.every((name) => step.after[name].count <= step.before[name].limit),
  ),
  'moves a window back only if a wrong clock started it': ofWrites(
    ({ before, after }, { sentAtSeconds }) =>
      windowNames.every((name) => {
        const isVoid = before[name].start > sentAtSeconds + toleranceSeconds;
        return isVoid || after[name].start >= before[name].start;
      }),
  ),
  'admits exactly the requests that it has counted': (step) => {
    const isCounted = isConfirmed(step) && isAdmission(step);
    return isCounted === (outcomeOf(step) === 'admitted');
  },
  'counts a request once in both windows': ofWrites(
    (step) =>
      !isAdmission(step) ||
      windowNames.every((name) => {
        const [before, after] = [step.before[name], step.after[name]];
        return after.count === (after.start === before.start ? before.count : 0) + 1;
      }),
  ),
  'rejects a request only for a reason that the response shows': (step) => {
    const isReason = reasons[outcomeOf(step) ?? ''];
    if (!isReason) return true;
    if (!step.executed) return false;
    // At the time when the command was sent, or at the time when DynamoDB responded.
    const { key, sentAtSeconds, answeredAtSeconds } = step.executed;
    return [sentAtSeconds, answeredAtSeconds].some((time) => isReason(step.after, key, time));
  },
  'never writes for a key that is banned, revoked, expired or of a suspended owner': ofWrites(
    ({ before }, { key, sentAtSeconds }) =>
      isUsableAt(before, key, sentAtSeconds) && !isBannedAt(before, key, sentAtSeconds),
  ),
  'starts a ban with the first rejection beyond the tolerated ones, and never before': ofWrites(
    (step, { key }) => {
      const isBeyond = step.after.keys[key]!.rejectionCount > step.before.tolerated;
      return isBanBegun(step) === (isBeyond && !isAdmission(step));
    },
  ),
  'reports a ban only with the request that started it': (step) => {
    const isReported = Boolean(step.end && 'decision' in step.end && step.end.decision.isBanStart);
    return isReported === (isConfirmed(step) && isBanBegun(step));
  },
  'counts each rejection once, and no other request as a rejection': ofWrites(
    (step, { key, isAnswerLost }) => {
      if (isAdmission(step)) return true;
      const [before, after] = [step.before.keys[key]!, step.after.keys[key]!];
      const isNew = before.rejectionWindow !== after.rejectionWindow;
      const isRejected = isAnswerLost || step.end !== undefined;
      return isRejected && after.rejectionCount === (isNew ? 0 : before.rejectionCount) + 1;
    },
  ),
  'states in an admission how many requests are left': ({ end, after }) => {
    if (!end || !('decision' in end) || end.decision.rejection) return true;
    const left = windowNames.map((name) => after[name].limit - after[name].count);
    return end.decision.remaining === Math.min(...left);
  },
  'answers every request': (step) => !step.end || outcomeOf(step) !== undefined,
};

/** The rule that a step breaks, if any. */
export function brokenRule(step: Step): string | undefined {
  return Object.keys(rules).find((name) => !rules[name]!(step));
}
