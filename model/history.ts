import type { Answer, Decision } from './protocol.ts';
import {
  type History,
  type Item,
  type Question,
  type State,
  type Window,
  type WindowName,
  windowNames,
} from './state.ts';

/*
 * What the invariants count by themselves, so that they need not believe the item. It forgets what
 * can no longer matter, since each number that it keeps multiplies the states.
 */

/** The history of an item in which nothing was counted wrong so far. */
export function historyOf(item: Item): History {
  const known = ({ start, count, priorStart, priorCount }: Window) => [
    { start: priorStart, count: priorCount },
    { start, count },
  ];
  const admitted = { minute: known(item.minute), day: known(item.day) };
  return { admitted, uncounted: item.keys.map(() => 0) };
}

/** Counts an admission in the windows that the write has put the item into. */
export function recordAdmission(state: State, { kind }: Question, { isDone }: Answer): State {
  if (kind === 'look' || !isDone) return state;
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

/** How many were admitted in a window, as far as it is not forgotten. */
export function admittedIn({ admitted }: History, name: WindowName, start: number): number {
  return admitted[name].find((each) => each.start === start)?.count ?? 0;
}

/** Counts a rejection when its request is refused, against those that the item has counted. */
export function recordRejection(
  state: State,
  question: Question,
  answer: Answer,
  decision: Decision | undefined,
): State {
  const isWritten = question.kind === 'refuse' && answer.isDone;
  const isRefused = decision?.code === 'full' || (isWritten && decision !== undefined);
  const counted = isWritten ? question.rejections : 0;
  return withUncounted(state, question.key, (isRefused ? 1 : 0) - counted);
}

function withUncounted(state: State, key: number, more: number): State {
  if (more === 0) return state;
  const { uncounted } = state.history;
  const changed = uncounted.map((each, index) => (index === key ? each + more : each));
  return { ...state, history: { ...state.history, uncounted: changed } };
}
