import { randomBytes } from 'node:crypto';
import { UnauthorizedError } from '../shared/errors.ts';
import { log } from '../shared/log.ts';
import type { Item } from '../shared/owner-record.ts';
import { admission, type Decision, rejection } from './decision.ts';
import { KeyCache } from './key-cache.ts';
import {
  type KeyAddress,
  type KeyState,
  keyStatus,
  type RequestTime,
  readKeyState,
  requestTimeAt,
} from './key-state.ts';
import { type Client, readItem, type WriteResult, writeItem } from './owner-item.ts';
import {
  admissionUpdate,
  ownerRead,
  type RejectionRecord,
  rejectionUpdate,
  type Target,
} from './owner-updates.ts';

/** How many rejections in a minute a plan tolerates, and how long the ban beyond them lasts. */
interface BanRule {
  toleratedRejectionsPerMinute: number;
  banSeconds: number;
}

interface LimiterSettings {
  client: Client;
  tableName: string;
  /** By plan. The keys of a plan without one are never banned. */
  banRules: Readonly<Record<string, BanRule>>;
  /** Unix time in milliseconds. */
  now: () => number;
}

/**
 * How often a request tries to be admitted. One write is enough as a rule, also when it starts a new
 * window; it takes one more for each window that another request has started in the meantime. Every
 * failed condition returns the current item and no item returns to an earlier state, so a request
 * that needs more attempts than this has found an item that the service did not write.
 */
const maxAttempts = 4;

/** The capacity of the cache of keys, which takes about eight megabytes when it is full. */
const cachedKeys = 10_000;

const neverBan: BanRule = { toleratedRejectionsPerMinute: Number.MAX_SAFE_INTEGER, banSeconds: 0 };

/** The state of a key, and the time for which it is evaluated. */
interface Observation {
  state: KeyState;
  time: RequestTime;
}

/** What a request knows of its key at first. */
interface FirstObservation extends Observation {
  /** True if this request got the state from DynamoDB, false if it comes from the cache. */
  isFresh: boolean;
}

/**
 * Authenticates requests and counts them against their owner's limits, exactly. The cached state of
 * a key only selects the cheapest first operation on the table; DynamoDB's answer to it decides:
 *
 *   cached state of the key                first operation
 *
 *   none                                   a read, then one of the lines below
 *   banned, not usable, or anything void   a read, then one of the lines below
 *     no such key, or not usable             401 without a write
 *     banned                                 429 without a write
 *   a window is full                       a write that counts the rejection if it is still full
 *   otherwise                              a write that admits the request if neither is full
 */
export class Limiter {
  readonly #client: Client;
  readonly #tableName: string;
  readonly #banRules: Readonly<Record<string, BanRule>>;
  readonly #time: () => RequestTime;
  readonly #cache = new KeyCache(cachedKeys);

  constructor({ client, tableName, banRules, now }: LimiterSettings) {
    this.#client = client;
    this.#tableName = tableName;
    this.#banRules = banRules;
    const bans = Object.values(banRules).map(({ banSeconds }) => banSeconds);
    const longestBanSeconds = Math.max(0, ...bans);
    this.#time = () => requestTimeAt(now(), longestBanSeconds);
  }

  /** Decides on one request of a key. @throws UnauthorizedError when the key is not usable */
  async decide(address: KeyAddress): Promise<Decision> {
    const observation = this.#cached(address) ?? (await this.#read(address));
    const { state, time } = observation;
    const { isBanned, full } = keyStatus(state, time);
    if (isBanned) return rejection(state, time);
    if (full.length === 0) return this.#admit(address, observation);
    return this.#reject(address, observation);
  }

  /** The cached state of the key; undefined when there is none, or when it has to be read again. */
  #cached({ tokenHash }: KeyAddress): FirstObservation | undefined {
    const state = this.#cache.get(tokenHash);
    if (!state) return undefined;
    const time = this.#time();
    const { isUsable, isBanned, isVoid } = keyStatus(state, time);
    // These requests are probably refused, and a read costs less than a write whose condition fails.
    // A void window has to be read for another reason: this machine's own clock may be the wrong
    // one, and DynamoDB's answer to the read corrects it before the window is repaired.
    if (!isUsable || isBanned || isVoid) return undefined;
    return { state, time, isFresh: false };
  }

  async #read(address: KeyAddress): Promise<FirstObservation> {
    const target = this.#target(address, this.#time());
    const item = await readItem(this.#client, ownerRead(target));
    const time = this.#time();
    return { state: this.#observe(address, item, time), time, isFresh: true };
  }

  /** Admits the request unless its key is banned or a window is full by the time of the write. */
  async #admit(address: KeyAddress, observation: Observation): Promise<Decision> {
    let { state, time } = observation;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const write = admissionUpdate(this.#target(address, time), keyStatus(state, time));
      const { isDone, item } = await writeItem(this.#client, write);
      state = this.#observe(address, item, time);
      if (isDone) return admission(state, time);

      const { isBanned, full } = keyStatus(state, time);
      if (isBanned) return rejection(state, time);
      if (full.length > 0) {
        this.#cache.addPending(address.tokenHash, time.minute, 1);
        return rejection(state, time);
      }
      time = this.#time();
    }
    throw new Error('The item changed with every attempt to count the request.');
  }

  /**
   * Rejects the request if a window is still full, and counts the rejection. There is one attempt:
   * if its condition fails, the rejection is counted together with the key's next one.
   */
  async #reject(address: KeyAddress, observation: FirstObservation): Promise<Decision> {
    const { state: expected, time, isFresh } = observation;
    const rejections = 1 + this.#cache.takePending(address.tokenHash, time.minute);
    const record = this.#rejectionRecord(expected, time, rejections);
    const status = keyStatus(expected, time);
    const write = rejectionUpdate(this.#target(address, time), status, record);
    let result: WriteResult;
    try {
      result = await writeItem(this.#client, write);
    } catch (error) {
      // This request has read that a window is full, so it is rejected even if the rejection cannot
      // be counted. A cached state is no reason to reject.
      if (!isFresh) throw error;
      log.error('A rejection was not counted', error, { keyId: expected.key.keyId });
      return rejection(expected, time);
    }
    const state = this.#observe(address, result.item, time);
    const { isBanned } = keyStatus(state, time);
    const isBanStart = isBanned && record.ban?.nonce === state.key.bannedBy;
    if (result.isDone || isBanStart) return { ...rejection(state, time), isBanStart };
    return this.#decideAnew(address, { state, time }, rejections);
  }

  /** Decides again after the condition of a rejection's write has failed. */
  #decideAnew(
    address: KeyAddress,
    { state, time }: Observation,
    rejections: number,
  ): Promise<Decision> | Decision {
    const { isBanned, full } = keyStatus(state, time);
    // A rejection because of a ban does not count towards the next ban.
    const isCounted = !isBanned && full.length > 0;
    const uncounted = isCounted ? rejections : rejections - 1;
    this.#cache.addPending(address.tokenHash, time.minute, uncounted);
    if (isBanned || full.length > 0) return { ...rejection(state, time), isBanStart: false };
    return this.#admit(address, { state, time: this.#time() });
  }

  #rejectionRecord(
    { owner, key }: KeyState,
    time: RequestTime,
    rejections: number,
  ): RejectionRecord {
    const rule = this.#banRules[owner.plan] ?? neverBan;
    const tolerated = rule.toleratedRejectionsPerMinute;
    const { rejectionWindow, rejectionCount } = key;
    const isCounting = rejectionWindow >= time.minute && rejectionWindow <= time.newestWindow;
    const isBanDue = (isCounting ? rejectionCount : 0) + rejections > tolerated;
    const until = time.nowSeconds + rule.banSeconds;
    return {
      rejections,
      isCounting,
      tolerated,
      ...(isBanDue && { ban: { until, nonce: nonce() } }),
    };
  }

  #target(address: KeyAddress, time: RequestTime): Target {
    return { ...address, tableName: this.#tableName, time };
  }

  /** Caches the key's state in an item. @throws UnauthorizedError when the key is not usable */
  #observe(address: KeyAddress, item: Item | undefined, time: RequestTime): KeyState {
    const state = item && readKeyState(item, address);
    if (state && keyStatus(state, time).isUsable) {
      this.#cache.set(address.tokenHash, state);
      return state;
    }
    this.#cache.delete(address.tokenHash);
    throw new UnauthorizedError();
  }
}

/** Eight random characters, by which a request recognises the ban that it has begun. */
function nonce(): string {
  return randomBytes(6).toString('base64url');
}
