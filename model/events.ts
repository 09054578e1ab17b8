import { recordAdmission, recordRejection } from './history.ts';
import { type Answer, ask, carryOut, type Decision, hear } from './protocol.ts';
import type { Rules } from './rules.ts';
import {
  type Environment,
  forever,
  type Item,
  type Key,
  never,
  type Operation,
  type Question,
  type State,
} from './state.ts';

/** What may happen next. */
export type Event =
  /** A request arrives at an idle environment. */
  | { kind: 'ask'; environment: number; key: number }
  /** Its question is carried out and answered. */
  | { kind: 'answer'; environment: number }
  /** Its question is carried out, and the answer lost: the SDK sends it again. */
  | { kind: 'lose'; environment: number }
  | { kind: 'tick' }
  | { kind: 'operate'; operation: Operation };

/** An event, what it led to, and what the invariants look at. */
export interface Step {
  event: Event;
  before: State;
  after: State;
  /** Of a question that was carried out. */
  question?: Question;
  answer?: Answer;
  /** Of a request that came to its end. */
  decision?: Decision;
}

/** The last tick of every scenario. */
export const lastTick = 4;

/** Everything that can happen in a state. */
export function eventsOf(state: State): Event[] {
  const events: Event[] = [];
  state.environments.forEach(({ question, memory }, environment) => {
    if (question) {
      events.push({ kind: 'answer', environment });
      const isWrite = question.kind !== 'look';
      if (state.lossesLeft > 0 && isWrite && !question.isRepeated) {
        events.push({ kind: 'lose', environment });
      }
    } else if (state.requestsLeft > 0) {
      memory.forEach((_, key) => {
        events.push({ kind: 'ask', environment, key });
      });
    }
  });
  if (mayTick(state)) events.push({ kind: 'tick' });
  for (const operation of state.operationsLeft) events.push({ kind: 'operate', operation });
  return events;
}

/** A request is over within seconds, the function's own timeout: it sees one tick at the most. */
function mayTick({ now, environments }: State): boolean {
  return now < lastTick && environments.every(({ question }) => (question?.since ?? now) === now);
}

/** What an event makes of a state. */
export function stepOf(before: State, event: Event, rules: Rules): Step {
  switch (event.kind) {
    case 'tick':
      return { event, before, after: { ...before, now: before.now + 1 } };
    case 'operate':
      return { event, before, after: operate(before, event.operation) };
    case 'ask': {
      const { environment, decision } = ask(
        before.environments[event.environment]!,
        event.key,
        before.now,
        rules,
      );
      const asked = withEnvironment(before, event.environment, environment);
      const after = { ...asked, requestsLeft: before.requestsLeft - 1 };
      return { event, before, after, ...(decision && { decision }) };
    }
    default:
      return answerStep(before, event, rules);
  }
}

function answerStep(
  before: State,
  event: Extract<Event, { environment: number }>,
  rules: Rules,
): Step {
  const asking = before.environments[event.environment]!;
  const question = asking.question!;
  const answer = carryOut(before.item, question, rules);
  const carriedOut = recordAdmission({ ...before, item: answer.item }, question, answer);
  if (event.kind === 'lose') {
    const hasBegunBan = question.ban !== undefined && answer.isDone;
    const repeated = { ...asking, question: { ...question, isRepeated: true, hasBegunBan } };
    const after = withEnvironment(carriedOut, event.environment, repeated);
    const lossesLeft = before.lossesLeft - 1;
    return { event, before, after: { ...after, lossesLeft }, question, answer };
  }
  const { environment, decision } = hear(asking, answer, before.now, rules);
  const heard = withEnvironment(carriedOut, event.environment, environment);
  const after = recordRejection(heard, question, answer, decision);
  return { event, before, after, question, answer, ...(decision && { decision }) };
}

function withEnvironment(state: State, index: number, environment: Environment): State {
  const environments = state.environments.map((each, at) => (at === index ? environment : each));
  return { ...state, environments };
}

const unpunished = { bannedUntil: never, bannedBy: 0, rejectionsStart: never, rejections: 0 };

/** An operator's change, made by one conditional write of its own. */
function operate(state: State, operation: Operation): State {
  const operationsLeft = state.operationsLeft.filter((each) => each !== operation);
  return { ...state, operationsLeft, item: changed(state.item, operation, state.now) };
}

function changed(item: Item, operation: Operation, now: number): Item {
  const [first] = item.keys;
  const withFirst = (key: Key | undefined) => ({ ...item, keys: [key, ...item.keys.slice(1)] });
  switch (operation) {
    case 'raise':
      return { ...item, limits: { minute: item.limits.minute + 1, day: item.limits.day + 1 } };
    case 'lower':
      return { ...item, limits: { minute: 1, day: 1 } };
    case 'suspend':
    case 'resume':
      return { ...item, isActive: operation === 'resume' };
    case 'revoke':
      return withFirst(undefined);
    case 'unban':
      return withFirst(first && { ...first, ...unpunished });
    case 'rotate':
      // The replacement has the ban of the key before, which is good for one tick more.
      if (!first) return item;
      return {
        ...item,
        keys: [
          { ...first, expiresAt: now + 1 },
          { ...first, expiresAt: forever },
        ],
      };
  }
}
