import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { UnauthorizedError } from '../contract/errors.ts';
import type { Item } from '../contract/item.ts';
import { log } from '../runtime/log.ts';
import {
  admit,
  type Decision,
  type EvaluatedKey,
  evaluateKey,
  type KeySnapshot,
  readKey,
  reject,
} from './decision.ts';
import {
  admissionUpdate,
  type ItemUpdate,
  type KeyAddress,
  rejectionUpdate,
} from './owner-updates.ts';
import { findPlan, type Plan, type Plans, planNumbers } from './plan.ts';
import { type CurrentTimes, currentTimes } from './windows.ts';

/*
 * How requests are limited. docs/adr/0002-authorizer-counts-in-one-conditional-write.md gives the reasons.
 *
 * There are two windows. All keys of an owner share a limit per UTC minute and a limit per UTC day. A window is
 * identified by its start in Unix seconds. The owner's item stores one minute and one day, each with its count:
 *
 *        ----[ over )----[ current )----[ ahead )---+---[ void )-----------> UTC
 *                            now              now + tolerance
 *
 *   open: current or ahead   Requests are counted in this window. A machine whose clock is fast has
 *                            started a window that is ahead. A window must not move back.
 *   closed: over or void     The next admission replaces this window by the current window. Only a
 *                            wrong clock can have started a void window.
 *
 * One conditional write admits a request. DynamoDB serializes the writes on an item and evaluates each condition
 * against the stored item, so an outdated view of the item can make a write fail but never admits more requests
 * than the limit allows. A write requires a usable key without a ban (owner-updates.ts), and for each window one
 * of two conditions:
 *
 *   the window is open and has requests left   its count increases by 1
 *   the window is closed                       the current window starts with 1
 *
 * The two conditions exclude each other. If several requests find a closed window, one of them replaces the
 * window. The writes of the other requests fail, and are repeated in the new window. No write replaces an open
 * window by an earlier window, so a full window never becomes empty before its end. If the SDK repeats a write
 * because its response was lost, the request may count twice. Then the client loses one request, and the limit is
 * not exceeded.
 *
 * An owner's item has the name of its plan, and the settings of this version have the plan's numbers. A write with
 * these numbers has the condition that the owner still has this plan. If an operator has changed the plan, the
 * write fails, and the next write has the numbers of the new plan. If an owner has a limit of its own, the smaller
 * of this limit and the plan's maximum applies.
 *
 * A rejection costs little, because an environment remembers the last state of a key. This state only selects the
 * first operation, and DynamoDB's response to this operation decides:
 *
 *   unknown, banned or not usable   a read, then one of the lines below
 *     no such key, or not usable      401 without a write
 *     banned                          429 without a write
 *   a window is full                a write that counts the rejection if it is still full
 *   otherwise                       a write that admits the request
 *
 * A key is banned by the write that counts one rejection more in a minute than the key's plan tolerates. If
 * several writes run at the same time, exactly one begins the ban, because the conditions of all other writes
 * fail.
 */

interface LimiterSettings {
  client: Pick<DynamoDBClient, 'send'>;
  tableName: string;
  plans: Plans;
  /** Unix time in milliseconds. */
  now: () => number;
}

/**
 * The maximum number of writes for the admission of a request. One write is usually enough, even to start a new
 * window. If another request starts a window at the same time, or an operator changes the owner's plan, one more write
 * is needed. A failed condition returns the current item, and no item returns to an earlier state. So if all writes
 * fail, something other than this service has probably written the item.
 */
const maxWrites = 6;

/** The maximum number of keys in the cache. When the cache is full, at about eight megabytes, it is emptied. */
const cachedKeys = 10_000;

interface WriteResult {
  /** False if nothing was written. */
  isDone: boolean;
  after: EvaluatedKey;
}

/** Authenticates requests and counts them against their owner's limits, as the top of this file says. */
export class Limiter {
  readonly #settings: LimiterSettings;
  /** The last known snapshot of each key. */
  readonly #cache = new Map<string, KeySnapshot>();
  readonly #unknownPlans = new Set<string>();

  constructor(settings: LimiterSettings) {
    this.#settings = settings;
  }

  /** Decides on one request of a key. @throws UnauthorizedError when the key is not usable */
  async decide(address: KeyAddress): Promise<Decision> {
    let key = this.#cached(address) ?? (await this.#read(address));
    // One write both asks whether the window is still full and counts the rejection.
    if (key.state === 'full') {
      const { isDone, after } = await this.#write(address, rejectionUpdate, key);
      // The write requires that the key is not banned, so this request has begun the ban.
      const isBanStart = after.state === 'banned';
      if (isDone) return { ...reject(after, this.#settings.now()), isBanStart };
      key = after;
    }
    // The loop ends when the request is counted, or when the item says that the request has to be rejected. A failed
    // write returns the item as another request or an operator has left it.
    for (let writesLeft = maxWrites; key.state === 'open'; writesLeft--) {
      if (writesLeft === 0) throw new Error('The item changed with every attempt to count.');
      const { isDone, after } = await this.#write(address, admissionUpdate, key);
      if (isDone) return admit(after, this.#settings.now());
      key = after;
    }
    return reject(key, this.#settings.now());
  }

  /** The cached key; undefined if a read is cheaper than a write, which would probably fail. */
  #cached({ tokenHash }: KeyAddress): EvaluatedKey | undefined {
    const snapshot = this.#cache.get(tokenHash);
    const key = snapshot && this.#evaluate(snapshot, this.#times());
    return key?.state === 'open' || key?.state === 'full' ? key : undefined;
  }

  #times(): CurrentTimes {
    return currentTimes(Math.floor(this.#settings.now() / 1_000), this.#settings.plans);
  }

  #evaluate(key: KeySnapshot, times: CurrentTimes): EvaluatedKey {
    return evaluateKey(key, this.#planOf(key), times);
  }

  /** The owner's plan. A plan that this version does not know is logged once in each environment. */
  #planOf({ owner: { ownerId, plan: name } }: KeySnapshot): Plan {
    const { plans } = this.#settings;
    if (!findPlan(name, plans) && !this.#unknownPlans.has(name)) {
      this.#unknownPlans.add(name);
      log.error('A plan is unknown', new Error(`The owner ${ownerId} has the plan "${name}".`));
    }
    return planNumbers(name, plans);
  }

  async #read(address: KeyAddress): Promise<EvaluatedKey> {
    const { client, tableName } = this.#settings;
    const Key = { ownerHash: { S: address.ownerHash } };
    const read = new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true });
    const { Item } = await client.send(read);
    return this.#observe(address, Item, this.#times());
  }

  /** Writes an update for a key. A successful write counts the request in the windows of the key's times. */
  async #write(
    address: KeyAddress,
    updateOf: (address: KeyAddress, key: EvaluatedKey) => ItemUpdate,
    key: EvaluatedKey,
  ): Promise<WriteResult> {
    const { client, tableName } = this.#settings;
    const update = { TableName: tableName, ...updateOf(address, key) };
    try {
      const { Attributes } = await client.send(new UpdateItemCommand(update));
      return { isDone: true, after: this.#observe(address, Attributes, key.times) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { isDone: false, after: this.#observe(address, error.Item, this.#times()) };
    }
  }

  /** Evaluates and caches the key in an item. @throws UnauthorizedError when the key is not usable */
  #observe({ tokenHash }: KeyAddress, item: Item | undefined, at: CurrentTimes): EvaluatedKey {
    this.#cache.delete(tokenHash);
    const snapshot = item && readKey(item, tokenHash);
    const key = snapshot && this.#evaluate(snapshot, at);
    if (!snapshot || !key || key.state === 'unusable') throw new UnauthorizedError();
    if (this.#cache.size >= cachedKeys) this.#cache.clear();
    this.#cache.set(tokenHash, snapshot);
    return key;
  }
}
