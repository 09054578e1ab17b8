import { recordAdmission, recordRejection } from './history.ts';
import { type Answer, type Decision, execute, handleAnswer, startRequest } from './protocol.ts';
import type { Rules } from './rules.ts';
import {
  type Command,
  type Environment,
  forever,
  type Item,
  type Key,
  never,
  type Operation,
  type State,
} from './state.ts';

/** An event that changes the state of the model. */
export type Event =
  /** A request arrives at an idle environment. */
  | { kind: 'request'; environment: number; key: number }
  /** The environment's command is executed and answered. */
  | { kind: 'answer'; environment: number }
  /** The environment's command is executed and the answer is lost, so the SDK repeats it. */
  | { kind: 'lose'; environment: number }
  /** Time advances by one tick. */
  | { kind: 'tick' }
  /** An operator's command changes the item. */
  | { kind: 'operate'; operation: Operation };

/** An event with the states before and after it, for the invariants to check. */
export interface Step {
  event: Event;
  before: State;
  after: State;
  /** The command that the event executed, if any, and its answer. */
  command?: Command;
  answer?: Answer;
  /** The decision on the request that the event completed, if any. */
  decision?: Decision;
}

/** The last tick of every scenario. */
const lastTick = 4;

/** All events that are possible in a state. */
export function eventsOf(state: State): Event[] {
  const events: Event[] = [];
  state.environments.forEach(({ command, cache }, environment) => {
    if (command) {
      events.push({ kind: 'answer', environment });
      const isWrite = command.kind !== 'read';
      if (state.lossesLeft > 0 && isWrite && !command.isRepeated) {
        events.push({ kind: 'lose', environment });
      }
    } else if (state.requestsLeft > 0) {
      cache.forEach((_, key) => {
        events.push({ kind: 'request', environment, key });
      });
    }
  });
  if (mayTick(state)) events.push({ kind: 'tick' });
  for (const operation of state.operationsLeft) events.push({ kind: 'operate', operation });
  return events;
}

/** The function's timeout is shorter than a tick, so time advances at most once during a request. */
function mayTick({ now, environments }: State): boolean {
  return now < lastTick && environments.every(({ command }) => (command?.since ?? now) === now);
}

/** Applies an event to a state. */
export function stepOf(before: State, event: Event, rules: Rules): Step {
  switch (event.kind) {
    case 'tick':
      return { event, before, after: { ...before, now: before.now + 1 } };
    case 'operate':
      return { event, before, after: operate(before, event.operation) };
    case 'request': {
      const { environment, decision } = startRequest(
        before.environments[event.environment]!,
        event.key,
        before.now,
        rules,
      );
      const started = withEnvironment(before, event.environment, environment);
      const after = { ...started, requestsLeft: before.requestsLeft - 1 };
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
  const sender = before.environments[event.environment]!;
  const command = sender.command!;
  const answer = execute(before.item, command, rules);
  const executed = recordAdmission({ ...before, item: answer.item }, command, answer);
  if (event.kind === 'lose') {
    const hasBegunBan = command.ban !== undefined && answer.isDone;
    const repeated = { ...sender, command: { ...command, isRepeated: true, hasBegunBan } };
    const after = withEnvironment(executed, event.environment, repeated);
    const lossesLeft = before.lossesLeft - 1;
    return { event, before, after: { ...after, lossesLeft }, command, answer };
  }
  const { environment, decision } = handleAnswer(sender, answer, before.now, rules);
  const answered = withEnvironment(executed, event.environment, environment);
  const after = recordRejection(answered, command, answer, decision);
  return { event, before, after, command, answer, ...(decision && { decision }) };
}

function withEnvironment(state: State, index: number, environment: Environment): State {
  const environments = state.environments.map((each, at) => (at === index ? environment : each));
  return { ...state, environments };
}

const noBan = { bannedUntil: never, bannedBy: 0, rejectionsStart: never, rejections: 0 };

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
      return withFirst(first && { ...first, ...noBan });
    case 'rotate':
      // The new key inherits the ban of the old one, which stays valid for one more tick.
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
