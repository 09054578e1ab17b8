import { type Event, eventsOf, stepOf } from './events.ts';
import { fingerprint } from './fingerprint.ts';
import { invariants } from './invariants.ts';
import { type Rules, rules as rulesOfTheProtocol } from './rules.ts';
import type { State } from './state.ts';

/** A step that breaks an invariant, and the events that lead to it. */
interface Violation {
  invariant: string;
  trace: Event[];
}

interface Exploration {
  states: number;
  steps: number;
  violation: Violation | undefined;
}

/** A state, with the event and the state that led to it. */
interface Path {
  state: State;
  event: Event | undefined;
  previous: Path | undefined;
}

/**
 * Visits every state that can be reached from the first one, and checks the invariants in each step.
 * It stops at the first violation. States are compared by a 52-bit hash, so the probability that two
 * of a million states are mistaken for the same one is about 1 in 10,000.
 *
 * @param watched the names of the invariants to check
 */
export function explore(
  first: State,
  rules: Rules = rulesOfTheProtocol,
  watched: readonly string[] = Object.keys(invariants),
): Exploration {
  const visited = new Set([fingerprint(first)]);
  const open: Path[] = [{ state: first, event: undefined, previous: undefined }];
  let steps = 0;
  for (let path = open.pop(); path; path = open.pop()) {
    for (const event of eventsOf(path.state)) {
      const step = stepOf(path.state, event, rules);
      steps++;
      const invariant = watched.find((name) => !invariants[name]!(step));
      const next: Path = { state: step.after, event, previous: path };
      if (invariant !== undefined) {
        return { states: visited.size, steps, violation: { invariant, trace: traceOf(next) } };
      }
      const mark = fingerprint(step.after);
      if (visited.has(mark)) continue;
      visited.add(mark);
      open.push(next);
    }
  }
  return { states: visited.size, steps, violation: undefined };
}

function traceOf(path: Path): Event[] {
  const trace: Event[] = [];
  for (let at: Path | undefined = path; at?.event; at = at.previous) trace.unshift(at.event);
  return trace;
}
