import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import type { Decision } from '../../../lambdas/keys/decision.ts';
import { Limiter } from '../../../lambdas/keys/limiter.ts';
import type { Plan, Plans } from '../../../lambdas/keys/plan.ts';
import { type Command, execute } from '../../helpers/dynamodb/execution.ts';
import { address, entryOf, type Overrides, ownerItem } from '../../helpers/dynamodb/key-items.ts';

/** Twenty seconds into a minute, in the middle of a day. */
export const minute = Date.UTC(2026, 10, 20, 12, 34) / 1_000;
const day = Date.UTC(2026, 10, 20) / 1_000;
export const nextDay = day + 86_400;
export const startSeconds = minute + 20;

export const tolerated = 3;
export const banSeconds = 300;

function plan(perMinute: number, perDay: number, limitsPerOwner = false): Plan {
  const banRule = { toleratedRejectionsPerMinute: tolerated, banSeconds };
  return { perMinute, perDay, limitsPerOwner, ...banRule };
}

/** The plans of the environments, from the smallest to the largest. */
export const plansOfTests = {
  tiny: plan(5, 10),
  free: plan(60, 1_000),
  pro: plan(300, 10_000),
  enterprise: plan(1_000, 100_000, true),
} satisfies Plans;

/** The attributes of windows that are current at the start, with the given counts. */
export function used(minuteCount: number, dayCount: number): Overrides {
  return { minuteWindow: minute, minuteCount, dayWindow: day, dayCount };
}

type Send = (command: Command) => Promise<unknown>;

/** An owner in a table, a clock, and execution environments, each with a limiter. */
export class LimitedOwner {
  /** The owner's item, the only one in the table. */
  item: Item;
  nowMs = startSeconds * 1_000;
  readonly #limiter = this.environment();
  #reads = 0;
  #writes = 0;

  /** Puts the owner's item, whose only key is the example key. */
  constructor(overrides: Overrides = {}) {
    this.item = ownerItem(overrides);
  }

  readonly send: Send = async (command) => {
    if (command instanceof GetItemCommand) this.#reads++;
    else this.#writes++;
    const { item, answer } = await execute(this.item, command);
    this.item = item;
    if (answer instanceof Error) throw answer;
    return answer;
  };

  /**
   * A new execution environment, which has no key in its cache.
   *
   * @param send replaces the `send` of the table @param plans the plans of the version that runs in this environment
   */
  environment(send: Send = (command) => this.send(command), plans: Plans = plansOfTests): Limiter {
    return new Limiter({
      client: { send } as never,
      tableName: 'ApiKeys',
      plans,
      now: () => this.nowMs,
    });
  }

  /** Decides on one request, always in the same execution environment. */
  decide(key = address): Promise<Decision> {
    return this.#limiter.decide(key);
  }

  async decideInTurn(times: number): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (let index = 0; index < times; index++) decisions.push(await this.decide());
    return decisions;
  }

  wait(seconds: number): void {
    this.nowMs += seconds * 1_000;
  }

  /** The numbers of the owner's item and of the example key's entry in it. */
  get numbers(): Record<string, number> {
    const attributes = Object.entries({ ...this.item, ...entryOf(this.item) });
    const numbers = attributes.filter(([, { N }]) => N !== undefined);
    return Object.fromEntries(numbers.map(([name, { N }]) => [name, Number(N)]));
  }

  /** The number of reads and writes of an action, and its result or error. */
  async cost<Result>(action: () => Promise<Result>) {
    const [reads, writes] = [this.#reads, this.#writes];
    const result = await action().catch((error: Error) => error);
    return { result, reads: this.#reads - reads, writes: this.#writes - writes };
  }
}
