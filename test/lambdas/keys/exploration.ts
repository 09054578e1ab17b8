import type { Item } from '../../../lambdas/contract/item.ts';
import { type Command, type Execution, execute } from '../../helpers/dynamodb/execution.ts';
import { type End, type Input, type Reaction, reactionTo } from './execution-environment.ts';
import { type StoredState, storedState } from './stored-state.ts';

/*
 * Explores every order of steps of a scenario, with the limiter that is deployed. A state has the owner's item, the
 * clock, and the execution environments, each with the command to which DynamoDB has not responded yet. These steps
 * lead from one state to the next:
 *
 *   request   an environment gets its next request, and sends its first command
 *   answer    DynamoDB executes an environment's command and responds. The environment sends another command, or the
 *             request ends
 *   lost      DynamoDB executes a command, and its response is lost, so the SDK will send the command again
 *   tick      the clock advances by half a minute
 *   change    an operator's command changes the item
 *
 * The search goes through all states, beginning with the state before the first request. In each state, it takes every
 * possible step, and checks the rules (rules.ts). States with the same name are the same state.
 */

const tickSeconds = 30;
/** Every scenario begins in the middle of the last minute before it. */
export const midnight = Date.UTC(2026, 10, 21) / 1_000;
const startSeconds = midnight - tickSeconds;

/** A change of the item by an operator's command. */
export type Change = (item: Item, nowSeconds: number) => Item;

export interface Scenario {
  item: Item;
  /** For each execution environment, the seconds by which its clock is ahead, and the keys of its requests in order. */
  environments: { aheadSeconds: number; requests: number[] }[];
  changes?: Record<string, Change>;
  /** The maximum number of answers to writes that are lost. @default 1 */
  losses?: number;
  /** The maximum number of times that the clock advances by half a minute. @default 1 */
  ticks?: number;
}

interface Environment {
  aheadSeconds: number;
  inputs: readonly Input[];
  /** A short name of the inputs. */
  history: number;
  requestsLeft: readonly number[];
  pending?: PendingCommand;
}

/** A command that has not been answered. */
interface PendingCommand {
  key: number;
  command: Command;
  /** The time at which the command was sent, by the environment's clock. */
  sentAtSeconds: number;
  /** True if its response was lost, so that the SDK repeats it. */
  isRepeated: boolean;
  /** The function's timeout is shorter than a tick, so the clock advances at most once. */
  hasTicked: boolean;
}

interface ExecutedCommand extends PendingCommand {
  /** Whether the command changed the item. */
  isDone: boolean;
  isAnswerLost: boolean;
  /** The time at which DynamoDB responded, by the environment's clock. */
  answeredAtSeconds: number;
}

/** The owner's item. Items with the same attributes are the same object. */
interface Owner {
  item: Item;
  stored: StoredState;
  /** A short name of the item. */
  name: string;
}

interface State {
  nowSeconds: number;
  owner: Owner;
  environments: readonly Environment[];
  changesLeft: readonly string[];
  lossesLeft: number;
  ticksLeft: number;
}

/** A step, with the states before and after it. */
export interface Step {
  before: StoredState;
  after: StoredState;
  /** The command that was executed, if any. */
  executed?: ExecutedCommand;
  /** How the request ended, if it did. */
  end?: End | undefined;
}

/** The state after an event, and the other facts that a rule needs. */
type Outcome = Omit<Step, 'before' | 'after'> & { state: State };

/** An event that is possible in a state, and its outcome. */
type Event = [name: string, apply: () => Promise<Outcome>];

/** A state, and the events that led to it. */
interface Reached {
  state: State;
  events: string[];
}

export class Exploration {
  readonly #scenario: Scenario;
  /** The reactions, by the earlier inputs and the last input. */
  readonly #reactions = new Map<string, { history: number; reaction: Reaction }>();
  readonly #executions = new Map<string, Omit<Execution, 'item'> & { owner: Owner }>();
  readonly #owners = new Map<string, Owner>();
  readonly #names = new Map<unknown, string>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /**
   * Visits every state that can be reached.
   *
   * @param check returns the rule that a step breaks, if any
   * @returns the number of states, and the broken rule with the events that led to it
   */
  async run(check: (step: Step) => string | undefined) {
    const visited = new Set<string>();
    const open: Reached[] = [{ state: this.#first(), events: [] }];
    for (let from = open.pop(); from; from = open.pop()) {
      for (const [event, apply] of this.#events(from.state)) {
        const { state, ...happened } = await apply();
        const [before, after] = [from.state.owner.stored, state.owner.stored];
        const next = { state, events: [...from.events, event] };
        const rule = check({ ...happened, before, after });
        if (rule) return { states: visited.size, broken: [rule, ...next.events] };
        const name = this.#nameOfState(state);
        if (visited.has(name)) continue;
        visited.add(name);
        open.push(next);
      }
    }
    return { states: visited.size, broken: [] };
  }

  #first(): State {
    const { item, environments, changes = {}, losses = 1, ticks = 1 } = this.#scenario;
    return {
      nowSeconds: startSeconds,
      owner: this.#ownerOf(item),
      environments: environments.map(({ aheadSeconds, requests }) => ({
        aheadSeconds,
        inputs: [],
        history: 0,
        requestsLeft: requests,
      })),
      changesLeft: Object.keys(changes),
      lossesLeft: losses,
      ticksLeft: ticks,
    };
  }

  #events(state: State): Event[] {
    const events: Event[] = [];
    state.environments.forEach(({ pending, requestsLeft }, index) => {
      if (!pending && requestsLeft.length > 0) {
        events.push([`${index} gets a request`, () => this.#request(state, index)]);
      }
    });
    // The first command of a request depends only on its environment and the clock. So while the clock stands still, a
    // request may come before or after other steps without a difference.
    const [request] = events;
    if (request && state.ticksLeft === 0) return [request];
    state.environments.forEach(({ pending }, index) => {
      if (!pending) return;
      const name = pending.command.constructor.name;
      events.push([`${index}: ${name} is answered`, () => this.#answer(state, index)]);
      const isWrite = 'UpdateExpression' in pending.command.input;
      if (isWrite && !pending.isRepeated && state.lossesLeft > 0) {
        events.push([`${index}: the answer to ${name} is lost`, () => this.#lose(state, index)]);
      }
    });
    const mayTick = state.environments.every(({ pending }) => !pending?.hasTicked);
    if (state.ticksLeft > 0 && mayTick) events.push(['tick', async () => this.#tick(state)]);
    for (const change of state.changesLeft) {
      events.push([change, async () => this.#change(state, change)]);
    }
    return events;
  }

  async #request(state: State, index: number): Promise<Outcome> {
    const environment = state.environments[index]!;
    const [key = 0, ...requestsLeft] = environment.requestsLeft;
    const asked = { ...environment, requestsLeft };
    const next = await this.#react(state, asked, { key }, key);
    const after = withEnvironment(state, index, next.environment);
    return { state: after, end: next.end };
  }

  async #answer(state: State, index: number): Promise<Outcome> {
    const { state: after, executed, answer } = await this.#execute(state, index);
    const { pending: _answered, ...idle } = state.environments[index]!;
    const next = await this.#react(state, idle, { answer }, executed.key);
    const answered = withEnvironment(after, index, next.environment);
    return { state: answered, executed, end: next.end };
  }

  async #lose(state: State, index: number): Promise<Outcome> {
    const { state: after, executed } = await this.#execute(state, index, true);
    const environment = state.environments[index]!;
    const pending = { ...environment.pending!, isRepeated: true };
    const lost = withEnvironment(after, index, { ...environment, pending });
    return { state: { ...lost, lossesLeft: state.lossesLeft - 1 }, executed };
  }

  #tick(state: State): Outcome {
    const environments = state.environments.map(({ pending, ...environment }) => ({
      ...environment,
      ...(pending && { pending: { ...pending, hasTicked: true } }),
    }));
    const nowSeconds = state.nowSeconds + tickSeconds;
    return { state: { ...state, environments, nowSeconds, ticksLeft: state.ticksLeft - 1 } };
  }

  #change(state: State, name: string): Outcome {
    const item = this.#scenario.changes![name]!(state.owner.item, state.nowSeconds);
    const changesLeft = state.changesLeft.filter((change) => change !== name);
    return { state: { ...state, owner: this.#ownerOf(item), changesLeft } };
  }

  /** Executes the pending command of an environment. */
  async #execute(state: State, index: number, isAnswerLost = false) {
    const { pending, aheadSeconds } = state.environments[index]!;
    const { command } = pending!;
    const name = `${state.owner.name} ${this.#nameOf(command.input)}`;
    let execution = this.#executions.get(name);
    if (!execution) {
      const { item, answer } = await execute(state.owner.item, command);
      execution = { owner: this.#ownerOf(item), answer };
      this.#executions.set(name, execution);
    }
    const { owner, answer } = execution;
    const isDone = 'Attributes' in answer;
    const answeredAtSeconds = state.nowSeconds + aheadSeconds;
    const executed = { ...pending!, isDone, isAnswerLost, answeredAtSeconds };
    return { state: { ...state, owner }, executed, answer };
  }

  /** The environment after an input to its request with a key. */
  async #react(
    { nowSeconds }: State,
    environment: Environment,
    given: { key: number } | { answer: Execution['answer'] },
    key: number,
  ): Promise<{ environment: Environment; end?: Step['end'] }> {
    const input = { nowSeconds: nowSeconds + environment.aheadSeconds, ...given };
    const nameOfGiven = 'key' in given ? `key ${given.key}` : this.#nameOf(given.answer);
    const name = `${environment.history} ${input.nowSeconds}: ${nameOfGiven}`;
    const inputs = [...environment.inputs, input];
    const { history, reaction } = this.#reactions.get(name) ?? {
      history: this.#reactions.size + 1,
      reaction: await reactionTo(inputs),
    };
    this.#reactions.set(name, { history, reaction });
    if ('sent' in reaction) {
      const pending = {
        ...{ key, command: reaction.sent, sentAtSeconds: input.nowSeconds },
        ...{ isRepeated: false, hasTicked: false },
      };
      return { environment: { ...environment, inputs, history, pending } };
    }
    const remembered = environment.requestsLeft.length > 0 ? { inputs, history } : finished;
    return { environment: { ...environment, ...remembered }, end: reaction };
  }

  /** A name that is the same for states that differ only in the order of identical environments. */
  #nameOfState(state: State): string {
    const environments = state.environments.map((environment) => {
      const { aheadSeconds, history, requestsLeft, pending } = environment;
      const pendingName = pending && `${pending.isRepeated} ${pending.hasTicked}`;
      return `${aheadSeconds} ${history} ${requestsLeft} ${pendingName}`;
    });
    return [
      state.owner.name,
      state.nowSeconds,
      state.changesLeft,
      state.lossesLeft,
      ...environments.sort(),
    ].join(';');
  }

  #ownerOf(item: Item): Owner {
    const name = this.#nameOf(item);
    const owner = this.#owners.get(name) ?? { item, stored: storedState(item), name };
    this.#owners.set(name, owner);
    return owner;
  }

  /** A short name of a value. Equal values have the same name. */
  #nameOf(value: object): string {
    const known = this.#names.get(value);
    if (known) return known;
    const named = value instanceof Error ? ['failed', value] : value;
    const text = JSON.stringify(named);
    const name = this.#names.get(text) ?? String(this.#names.size);
    this.#names.set(text, name);
    this.#names.set(value, name);
    return name;
  }
}

/** The inputs of an environment without further requests, which no longer matter. */
const finished = { inputs: [], history: -1 };

function withEnvironment(state: State, index: number, environment: Environment): State {
  const environments = state.environments.map((each, at) => (at === index ? environment : each));
  return { ...state, environments };
}
