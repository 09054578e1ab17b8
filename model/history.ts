import type { Answer, Decision } from './protocol.ts';
import {
  type Command,
  type History,
  type Item,
  type State,
  type Window,
  type WindowName,
  windowNames,
} from './state.ts';

/*
 * The history counts admissions and rejections independently of the item, so that the invariants can
 * compare the two. It keeps only what can still matter, because every number in it multiplies the
 * number of states.
 */

/** The history of an initial item, whose counters are taken to be right. */
export function historyOf(item: Item): History {
  const known = ({ start, count, priorStart, priorCount }: Window) => [
    { start: priorStart, count: priorCount },
    { start, count },
  ];
  const admitted = { minute: known(item.minute), day: known(item.day) };
  return { admitted, uncounted: item.keys.map(() => 0) };
}

/** Counts an admission in the item's windows after the write. */
export function recordAdmission(state: State, { kind }: Command, { isDone }: Answer): State {
  if (kind === 'read' || !isDone) return state;
  const { item, history } = state;
  const more = kind === 'admit' ? 1 : 0;
  const admitted = Object.fromEntries(
    windowNames.map((name) => {
      const { start, priorStart } = item[name];
      const earlier = history.admitted[name];
      const count = admittedIn(history, name, start) + more;
      const prior = earlier.filter((each) => each.start === priorStart && each.start !== start);
      return [name, [...prior, { start, count }]];
    }),
  ) as Record<WindowName, { start: number; count: number }[]>;
  return { ...state, history: { ...history, admitted } };
}

/** The number of requests admitted in a window; 0 for a window that the history no longer keeps. */
export function admittedIn({ admitted }: History, name: WindowName, start: number): number {
  return admitted[name].find((each) => each.start === start)?.count ?? 0;
}

/** Adds a rejected request to those that the item has not counted, and subtracts counted ones. */
export function recordRejection(
  state: State,
  command: Command,
  answer: Answer,
  decision: Decision | undefined,
): State {
  const isWritten = command.kind === 'reject' && answer.isDone;
  const isRefused = decision?.code === 'full' || (isWritten && decision !== undefined);
  const counted = isWritten ? command.rejections : 0;
  return withUncounted(state, command.key, (isRefused ? 1 : 0) - counted);
}

function withUncounted(state: State, key: number, more: number): State {
  if (more === 0) return state;
  const { uncounted } = state.history;
  const changed = uncounted.map((each, index) => (index === key ? each + more : each));
  return { ...state, history: { ...state.history, uncounted: changed } };
}
