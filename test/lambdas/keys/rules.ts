import { UnauthorizedError } from '../../../lambdas/contract/errors.ts';
import type { Item } from '../../../lambdas/contract/item.ts';
import { type Step, windowNames } from './exploration.ts';
import {
  entryOf,
  isBannedAt,
  isFullAt,
  isUsableAt,
  limitIn,
  numberOf,
  toleranceSeconds,
  toleratedIn,
} from './stored-state.ts';

/* The rules that hold in every step of every scenario. */

function changesIn({ before, after }: Step, names: string[]): string[] {
  return names.filter((name) => numberOf(before, name) !== numberOf(after, name));
}

/** A rule. Returns true if the rule holds in a step, or does not concern the step. */
type Rule = (step: Step) => boolean;

/** A rule about the steps in which an execution environment's write took effect. */
function ofWrites(rule: (step: Step, write: NonNullable<Step['executed']>) => boolean): Rule {
  return (step) => !step.executed?.isDone || rule(step, step.executed);
}

const counts = ['minuteWindow', 'minuteCount', 'dayWindow', 'dayCount'];
const isAdmission = (step: Step) => changesIn(step, counts).length > 0;
const codeOf = ({ end }: Step) =>
  end && 'decision' in end ? (end.decision.rejection?.code ?? 'admitted') : undefined;
const isUnauthorized = ({ end }: Step) =>
  end !== undefined && 'error' in end && end.error instanceof UnauthorizedError;
const keyOf = ({ executed }: Step) => executed!.key;

function isBanBegun(step: Step): boolean {
  const until = (each: Item) => numberOf(entryOf(each, keyOf(step)) ?? {}, 'bannedUntil');
  return until(step.after) !== until(step.before) && until(step.after) !== 0;
}

/** Whether something was true at the time when the command was sent, or at the time when DynamoDB responded. */
function isShown({ executed }: Step, isAt: (time: number) => boolean): boolean {
  return executed !== undefined && [executed.sentAtSeconds, executed.answeredAtSeconds].some(isAt);
}

const rules: Record<string, Rule> = {
  'admits no more than the limit in a window': ofWrites((step) =>
    windowNames.every((name) => {
      const count = numberOf(step.after, `${name}Count`);
      return !isAdmission(step) || count <= limitIn(step.before, name);
    }),
  ),
  'keeps counting every request that it has counted': ofWrites((step) =>
    windowNames.every((name) => {
      const counted = step.counted[`${name} ${step.after[`${name}Window`]?.N}`] ?? 0;
      return numberOf(step.after, `${name}Count`) >= counted;
    }),
  ),
  'moves a window back only if a wrong clock started it': ofWrites((step, write) =>
    windowNames.every((name) => {
      const window = numberOf(step.before, `${name}Window`);
      const isVoid = window > write.sentAtSeconds + toleranceSeconds;
      return isVoid || numberOf(step.after, `${name}Window`) >= window;
    }),
  ),
  'admits exactly the requests that it has counted': (step) => {
    if (step.event === 'answer' && step.executed!.isDone && isAdmission(step)) {
      return codeOf(step) === 'admitted';
    }
    return codeOf(step) !== 'admitted';
  },
  'counts a request once in both windows': ofWrites(
    (step) =>
      !isAdmission(step) ||
      windowNames.every((name) => {
        const window = `${name}Window`;
        const isNew = changesIn(step, [window]).length > 0;
        const before = isNew ? 0 : numberOf(step.before, `${name}Count`);
        return numberOf(step.after, `${name}Count`) === before + 1;
      }),
  ),
  'rejects for a limit only if the response shows a full window': (step) => {
    const code = codeOf(step);
    if (code !== 'rate_limit_exceeded' && code !== 'quota_exceeded') return true;
    return isShown(step, (time) => isFullAt(step.after, time));
  },
  'rejects for a ban only if the response shows one': (step) =>
    codeOf(step) !== 'api_key_banned' ||
    isShown(step, (time) => isBannedAt(step.after, keyOf(step), time)),
  'never writes for a key that is revoked, expired or of a suspended owner': ofWrites(
    (step, write) => isUsableAt(step.before, write.key, write.sentAtSeconds),
  ),
  'answers 401 only if the response shows a key that is not usable': (step) =>
    !isUnauthorized(step) || isShown(step, (time) => !isUsableAt(step.after, keyOf(step), time)),
  'never writes for a banned key': ofWrites(
    (step, write) => !isBannedAt(step.before, write.key, write.sentAtSeconds),
  ),
  'starts a ban only after more rejections than are tolerated': ofWrites(
    (step) =>
      !isBanBegun(step) ||
      numberOf(entryOf(step.after, keyOf(step))!, 'rejectionCount') > toleratedIn(step.before),
  ),
  'starts a ban with the first rejection beyond the tolerated ones': ofWrites((step, write) => {
    const count = numberOf(entryOf(step.after, write.key)!, 'rejectionCount');
    return isAdmission(step) || count <= toleratedIn(step.before) || isBanBegun(step);
  }),
  'reports a ban only with the request that started it': (step) => {
    const isReported = Boolean(step.end && 'decision' in step.end && step.end.decision.isBanStart);
    const isBegun = step.event === 'answer' && Boolean(step.executed?.isDone) && isBanBegun(step);
    return isReported === isBegun;
  },
  'counts each rejection once, and no other request as a rejection': ofWrites((step, write) => {
    if (isAdmission(step)) return true;
    const before = entryOf(step.before, write.key)!;
    const after = entryOf(step.after, write.key)!;
    const isNew = numberOf(before, 'rejectionWindow') !== numberOf(after, 'rejectionWindow');
    const counted = isNew ? 0 : numberOf(before, 'rejectionCount');
    const isRejected = step.event !== 'answer' || step.end !== undefined;
    return isRejected && numberOf(after, 'rejectionCount') === counted + 1;
  }),
  'states in an admission how many requests are left': (step) => {
    if (!step.end || !('decision' in step.end) || step.end.decision.rejection) return true;
    const left = (name: 'minute' | 'day') =>
      limitIn(step.after, name) - numberOf(step.after, `${name}Count`);
    return step.end.decision.remaining === Math.min(left('minute'), left('day'));
  },
  'answers every request, with at most six writes': (step) => {
    const isFailed = step.end && 'error' in step.end && !isUnauthorized(step);
    return !isFailed && (step.executed?.writes ?? 0) <= 6;
  },
};

/** The rule that a step breaks, if any. */
export function brokenRule(step: Step): string | undefined {
  return Object.keys(rules).find((name) => !rules[name]!(step));
}
