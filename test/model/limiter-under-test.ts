import { type AttributeValue, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Decision as RealDecision } from '../../lambdas/authorizer/decision.ts';
import { Limiter } from '../../lambdas/authorizer/limiter.ts';
import { UnauthorizedError } from '../../lambdas/shared/errors.ts';
import type { Event } from '../../model/events.ts';
import type { Decision } from '../../model/protocol.ts';
import {
  banTicks,
  forever,
  type Item,
  type Key,
  midnight,
  never,
  type Operation,
  type State,
  type Tick,
  tolerated,
  type WindowName,
} from '../../model/state.ts';
import type { Item as RealItem } from '../helpers/dynamodb/expressions.ts';
import { type Command, InMemoryTable } from '../helpers/dynamodb/in-memory-table.ts';
import { ownerHash, ownerItem } from '../helpers/dynamodb/key-items.ts';
import { keysOfOwner } from '../helpers/dynamodb/limited-owner.ts';

const secondsPerTick = 30;
const midnightSeconds = Date.UTC(2026, 10, 21) / 1_000;
const banSeconds = banTicks * secondsPerTick;
const banRules = { free: { toleratedRejectionsPerMinute: tolerated, banSeconds } };
const addresses = keysOfOwner(2);
const codes = {
  rate_limit_exceeded: 'full',
  quota_exceeded: 'full',
  api_key_banned: 'banned',
} as const;

/** A command that the limiter has sent and that is not answered yet. */
interface Sent {
  command: Command;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

interface RealEnvironment {
  limiter: Limiter;
  sent: Sent | undefined;
  decision: Decision | undefined;
}

/** Applies the model's events to the deployed limiter, with a table in memory. */
export class LimiterUnderTest {
  readonly #table = new InMemoryTable();
  readonly #environments: RealEnvironment[];
  #now: Tick;

  constructor(first: State) {
    this.#now = first.now;
    this.#table.put(realItem(first.item));
    this.#environments = first.environments.map(({ skew }) => this.#environment(skew));
  }

  #environment(skew: Tick): RealEnvironment {
    const environment = { sent: undefined, decision: undefined } as unknown as RealEnvironment;
    const send = (command: Command) =>
      new Promise((resolve, reject) => {
        environment.sent = { command, resolve, reject };
      });
    environment.limiter = new Limiter({
      client: { send } as never,
      tableName: 'ApiKeys',
      banRules,
      now: () => secondsOf(this.#now + skew) * 1_000,
    });
    return environment;
  }

  /** Applies an event. Returns the decision on the request that it completes, if any. */
  async apply(event: Event): Promise<Decision | undefined> {
    if (event.kind === 'tick') this.#now++;
    else if (event.kind === 'operate') this.#operate(event.operation);
    else {
      const environment = this.#environments[event.environment]!;
      environment.decision = undefined;
      if (event.kind === 'request') this.#startRequest(environment, event.key);
      else this.#execute(environment, event.kind === 'lose');
      await new Promise(setImmediate);
      return environment.decision;
    }
    return undefined;
  }

  #startRequest(environment: RealEnvironment, key: number): void {
    environment.limiter.decide(addresses[key]!).then(
      (decision) => {
        environment.decision = decisionOf(decision);
      },
      (error) => {
        const code = error instanceof UnauthorizedError ? 'unauthorized' : 'gave up';
        environment.decision = { code, isBanStart: false };
      },
    );
  }

  #execute(environment: RealEnvironment, isLost: boolean): void {
    const { command, resolve, reject } = environment.sent!;
    if (!isLost) environment.sent = undefined;
    try {
      const answer = this.#table.execute(command);
      if (!isLost) resolve(answer);
    } catch (error) {
      if (!isLost) reject(error);
    }
  }

  #operate(operation: Operation): void {
    const item = this.#table.items.get(ownerHash)!;
    this.#table.put(changed(item, operation, this.#now));
  }

  /** The kinds of the commands that are under way, by environment. */
  commands(): (string | undefined)[] {
    return this.#environments.map(({ sent }) => {
      if (!sent) return undefined;
      if (sent.command instanceof GetItemCommand) return 'read';
      return sent.command.input.UpdateExpression!.includes('usedAt') ? 'admit' : 'reject';
    });
  }

  /** The item in the model's terms. */
  item(): Item {
    return modelItem(this.#table.items.get(ownerHash)!);
  }
}

/** The item without the names of bans, which differ between the model and the limiter. */
export function withoutBanNames(item: Item): Item {
  return { ...item, keys: item.keys.map((key) => key && { ...key, bannedBy: 0 }) };
}

function decisionOf({ rejection, isBanStart = false }: RealDecision): Decision {
  return { code: rejection ? codes[rejection.code] : 'admitted', isBanStart };
}

function secondsOf(tick: Tick): number {
  return tick === never ? 0 : midnightSeconds + (tick - midnight) * secondsPerTick;
}

function tickOf(seconds: number): Tick {
  return seconds === 0 ? never : (seconds - midnightSeconds) / secondsPerTick + midnight;
}

function realItem({ isActive, limits, minute, day, keys }: Item): RealItem {
  const entries = keys.flatMap((key, index) =>
    key ? [[addresses[index]!.tokenHash, realEntry(key)]] : [],
  );
  return ownerItem(
    {
      status: isActive ? 'active' : 'suspended',
      perMinute: limits.minute,
      perDay: limits.day,
      minuteWindow: secondsOf(minute.start),
      minuteCount: minute.count,
      priorMinuteWindow: secondsOf(minute.priorStart),
      priorMinuteCount: minute.priorCount,
      dayWindow: secondsOf(day.start),
      dayCount: day.count,
      priorDayWindow: secondsOf(day.priorStart),
      priorDayCount: day.priorCount,
    },
    Object.fromEntries(entries),
  );
}

function realEntry({ expiresAt, bannedUntil, rejectionsStart, rejections }: Key) {
  return {
    ...(expiresAt !== forever && { expiresAt: secondsOf(expiresAt) }),
    ...(bannedUntil !== never && { bannedUntil: secondsOf(bannedUntil), bannedBy: 'earlier!' }),
    ...(rejectionsStart !== never && {
      rejectionWindow: secondsOf(rejectionsStart),
      rejectionCount: rejections,
    }),
  };
}

function modelItem(item: RealItem): Item {
  const number = (name: string) => Number(item[name]?.N);
  const window = (name: WindowName) => {
    const prior = `prior${name === 'minute' ? 'Minute' : 'Day'}`;
    return {
      start: tickOf(number(`${name}Window`)),
      count: number(`${name}Count`),
      priorStart: tickOf(number(`${prior}Window`)),
      priorCount: number(`${prior}Count`),
    };
  };
  return {
    isActive: item.status?.S === 'active',
    limits: { minute: number('perMinute'), day: number('perDay') },
    minute: window('minute'),
    day: window('day'),
    keys: addresses.map(({ tokenHash }) => modelKey(item.keys!.M![tokenHash]?.M)),
  };
}

function modelKey(entry: RealItem | undefined): Key | undefined {
  if (!entry) return undefined;
  const tick = (name: string) => tickOf(Number(entry[name]?.N ?? 0));
  return {
    expiresAt: entry.expiresAt ? tick('expiresAt') : forever,
    bannedUntil: tick('bannedUntil'),
    bannedBy: 0,
    rejectionsStart: tick('rejectionWindow'),
    rejections: Number(entry.rejectionCount?.N ?? 0),
  };
}

/** The stored item after an operator's command. */
function changed(item: RealItem, operation: Operation, now: Tick): RealItem {
  const [first, second] = addresses.map(({ tokenHash }) => tokenHash);
  const entries: Record<string, AttributeValue> = { ...item.keys!.M };
  const entry = entries[first!]?.M;
  const more = (name: string) => ({ N: String(Number(item[name]?.N) + 1) });
  switch (operation) {
    case 'raise':
      return { ...item, perMinute: more('perMinute'), perDay: more('perDay') };
    case 'lower':
      return { ...item, perMinute: { N: '1' }, perDay: { N: '1' } };
    case 'suspend':
    case 'resume':
      return { ...item, status: { S: operation === 'resume' ? 'active' : 'suspended' } };
    case 'revoke':
      delete entries[first!];
      break;
    case 'unban':
      if (entry) {
        const { id, expiresAt } = entry;
        entries[first!] = { M: { id: id!, ...(expiresAt && { expiresAt }) } };
      }
      break;
    case 'rotate':
      if (entry) {
        const expiresAt = { N: String(secondsOf(now + 1)) };
        entries[first!] = { M: { ...entry, expiresAt } };
        entries[second!] = { M: entry };
      }
  }
  return { ...item, keys: { M: entries } };
}
