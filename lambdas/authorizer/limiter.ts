import { randomBytes } from 'node:crypto';
import { UnauthorizedError } from '../shared/errors.ts';
import { log } from '../shared/log.ts';
import type { Item } from '../shared/owner-record.ts';
import { KeyMemory } from './key-memory.ts';
import {
  type KeyAddress,
  type KeyState,
  type Moment,
  momentAt,
  readKeyState,
  standingOf,
} from './key-state.ts';
import { type Client, readItem, type WriteResult, writeItem } from './owner-item.ts';
import {
  admissionUpdate,
  lookUp,
  type Punishment,
  rejectionUpdate,
  type Target,
} from './owner-updates.ts';
import { admission, rejection, type Verdict } from './verdict.ts';

/** How many rejections in a minute a plan tolerates, and how long the ban beyond them lasts. */
export interface BanRule {
  toleratedRejectionsPerMinute: number;
  banSeconds: number;
}

export interface LimiterSettings {
  client: Client;
  tableName: string;
  /** By plan. The keys of a plan without one are never banned. */
  banRules: Readonly<Record<string, BanRule>>;
  /** Unix time in milliseconds. @default Date.now */
  now?: () => number;
}

/** Judges one request of a key. @throws UnauthorizedError */
export type Judge = (address: KeyAddress) => Promise<Verdict>;

/*
 * The writes of one request: 1 on the steady path, also when it turns a window; one more for each
 * window that another request was quicker to turn. Each failed condition shows the newest state,
 * from which there is no way back to an older one, so more attempts than this mean that the item is
 * not one of ours.
 */
const maxAttempts = 4;

/** How many keys an execution environment remembers: some eight megabytes. */
const rememberedKeys = 10_000;

const neverBan: BanRule = { toleratedRejectionsPerMinute: Number.MAX_SAFE_INTEGER, banSeconds: 0 };

/**
 * Authenticates and counts, exactly. What an execution environment remembers of a key chooses the
 * question that it asks DynamoDB, and nothing else: the answer is always DynamoDB's.
 *
 *   the key as it was last seen            question                              cost
 *
 *   not met                                what is it?                           a read, then one of
 *   banned, not usable, anything void      is it still?                          the lines below
 *     no such key, or not usable             401                                 -
 *     banned                                 429                                 -
 *   a window is full                       refuse, if so: count the rejection    a write
 *   otherwise                              admit, if there is something left     a write
 */
export function createLimiter(settings: LimiterSettings): Judge {
  const limiter = new Limiter(settings);
  return (address) => limiter.judge(address);
}

/** A key at a moment, and whether this very request has seen it so. */
interface Sight {
  state: KeyState;
  moment: Moment;
  isFresh: boolean;
}

class Limiter {
  readonly #client: Client;
  readonly #tableName: string;
  readonly #banRules: Readonly<Record<string, BanRule>>;
  readonly #moment: () => Moment;
  readonly #memory = new KeyMemory(rememberedKeys);

  constructor({ client, tableName, banRules, now = Date.now }: LimiterSettings) {
    this.#client = client;
    this.#tableName = tableName;
    this.#banRules = banRules;
    const bans = Object.values(banRules).map(({ banSeconds }) => banSeconds);
    const longestBanSeconds = Math.max(0, ...bans);
    this.#moment = () => momentAt(now(), longestBanSeconds);
  }

  async judge(address: KeyAddress): Promise<Verdict> {
    const sight = this.#recall(address) ?? (await this.#look(address));
    const { state, moment } = sight;
    const { isBanned, full } = standingOf(state, moment);
    if (isBanned) return rejection(state, moment);
    if (full.length === 0) return this.#admit(address, sight);
    return this.#refuse(address, sight);
  }

  /** The key as it is remembered; undefined where only a look can tell, or keeps from harm. */
  #recall({ tokenHash }: KeyAddress): Sight | undefined {
    const met = this.#memory.recall(tokenHash);
    if (!met) return undefined;
    const moment = this.#moment();
    const { isUsable, isBanned, isVoid } = standingOf(met.state, moment);
    // A read costs less than a write that fails; and what is put right in a window that was begun
    // by a broken clock must not follow from another one: an answer has just set this machine's.
    if (!isUsable || isBanned || isVoid) return undefined;
    return { state: met.state, moment, isFresh: false };
  }

  async #look(address: KeyAddress): Promise<Sight> {
    const target = this.#target(address, this.#moment());
    const item = await readItem(this.#client, lookUp(target));
    const moment = this.#moment();
    return { state: this.#see(address, item, moment), moment, isFresh: true };
  }

  /** Tries to admit, with what is known of the windows. */
  async #admit(address: KeyAddress, sight: Sight): Promise<Verdict> {
    let { state, moment } = sight;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const write = admissionUpdate(this.#target(address, moment), standingOf(state, moment));
      const { isDone, item } = await writeItem(this.#client, write);
      state = this.#see(address, item, moment);
      if (isDone) return admission(state, moment);

      const { isBanned, full } = standingOf(state, moment);
      if (isBanned) return rejection(state, moment);
      if (full.length > 0) {
        this.#memory.addPending(address.tokenHash, moment.minute, 1);
        return rejection(state, moment);
      }
      moment = this.#moment();
    }
    throw new Error('The item changed with every attempt to count the request.');
  }

  /**
   * Refuses if there is still nothing left, and counts the rejection: one attempt. Where another
   * request has changed the counter of rejections meanwhile, this one is counted with the next.
   */
  async #refuse(address: KeyAddress, { state: seen, moment, isFresh }: Sight): Promise<Verdict> {
    const rejections = 1 + this.#memory.takePending(address.tokenHash, moment.minute);
    const punishment = this.#punishment(seen, moment, rejections);
    const standing = standingOf(seen, moment);
    const write = rejectionUpdate(this.#target(address, moment), standing, punishment);
    let result: WriteResult;
    try {
      result = await writeItem(this.#client, write);
    } catch (error) {
      // Refused by what this request has read, though it cannot be counted; never by a memory.
      if (!isFresh) throw error;
      log.error('A rejection was not counted', error, { keyId: seen.key.keyId });
      return rejection(seen, moment);
    }
    const state = this.#see(address, result.item, moment);
    const { isBanned } = standingOf(state, moment);
    const isBanStart = isBanned && punishment.ban?.nonce === state.key.bannedBy;
    if (result.isDone || isBanStart) return { ...rejection(state, moment), isBanStart };
    return this.#explain(address, { state, moment, isFresh: true }, rejections);
  }

  /** The item is not as it was seen: refused all the same, or to be admitted. */
  #explain(address: KeyAddress, sight: Sight, rejections: number): Promise<Verdict> | Verdict {
    const { state, moment } = sight;
    const { isBanned, full } = standingOf(state, moment);
    // What is refused for a ban is not one of those that lead to it.
    const isCounted = !isBanned && full.length > 0;
    const uncounted = isCounted ? rejections : rejections - 1;
    this.#memory.addPending(address.tokenHash, moment.minute, uncounted);
    if (isBanned || full.length > 0) return { ...rejection(state, moment), isBanStart: false };
    return this.#admit(address, { ...sight, moment: this.#moment() });
  }

  #punishment({ owner, key }: KeyState, moment: Moment, rejections: number): Punishment {
    const rule = this.#banRules[owner.plan] ?? neverBan;
    const tolerated = rule.toleratedRejectionsPerMinute;
    const { rejectionWindow, rejectionCount } = key;
    const isCounting = rejectionWindow >= moment.minute && rejectionWindow <= moment.newestWindow;
    const isBanDue = (isCounting ? rejectionCount : 0) + rejections > tolerated;
    const until = moment.nowSeconds + rule.banSeconds;
    return {
      rejections,
      isCounting,
      tolerated,
      ...(isBanDue && { ban: { until, nonce: nonce() } }),
    };
  }

  #target(address: KeyAddress, moment: Moment): Target {
    return { ...address, tableName: this.#tableName, moment };
  }

  /** Takes note of an item. @throws UnauthorizedError when the key in it is none, or not usable */
  #see(address: KeyAddress, item: Item | undefined, moment: Moment): KeyState {
    const state = item && readKeyState(item, address);
    if (state && standingOf(state, moment).isUsable) {
      this.#memory.remember(address.tokenHash, state);
      return state;
    }
    this.#memory.forget(address.tokenHash);
    throw new UnauthorizedError();
  }
}

/** Eight characters that no other request has: enough to tell two bans of a key apart. */
function nonce(): string {
  return randomBytes(6).toString('base64url');
}
