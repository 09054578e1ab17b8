import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { UnauthorizedError } from '../shared/errors.ts';
import { type KeyRecord, readKeyRecord } from '../shared/key-record.ts';
import { log } from '../shared/log.ts';
import { windowStarts, windowUses } from '../shared/windows.ts';
import { admissionUpdate, banUpdate, rejectionUpdate, type Target } from './key-updates.ts';
import { admission, rejection, type Verdict } from './verdict.ts';

/** How many rejections in a minute a plan tolerates, and how long the ban beyond them lasts. */
export interface BanRule {
  toleratedRejectionsPerMinute: number;
  banSeconds: number;
}

type Client = Pick<DynamoDBClient, 'send'>;

export interface LimiterSettings {
  client: Client;
  tableName: string;
  /** By plan. The keys of a plan without one are never banned. */
  banRules: Readonly<Record<string, BanRule>>;
  /** Unix time in milliseconds. @default Date.now */
  now?: () => number;
}

/** Judges one request by the hash of its token. @throws UnauthorizedError */
export type Judge = (keyHash: string) => Promise<Verdict>;

interface Outcome {
  isDone: boolean;
  /** As the write left it, or as the failed condition found it. */
  key: KeyRecord;
}

/*
 * The writes of one request: 1 on the steady path; 2 when it turns a window; 3 when another request
 * was quicker to turn it. Each failed condition shows the newest state, from which there is no way
 * back to an older one, so more attempts than this mean that the item is not one of ours.
 */
const maxAttempts = 4;

const neverBan: BanRule = { toleratedRejectionsPerMinute: Number.MAX_SAFE_INTEGER, banSeconds: 0 };

/** Authenticates and counts, exactly, in one conditional write. */
export function createLimiter({
  client,
  tableName,
  banRules,
  now = Date.now,
}: LimiterSettings): Judge {
  return async (keyHash) => {
    const nowMs = now();
    const target = { tableName, keyHash, nowSeconds: Math.floor(nowMs / 1_000) };
    const { isDone, key } = await admit(client, target);
    if (isDone) return admission(key, nowMs);

    const rule = banRules[key.plan] ?? neverBan;
    const { isBanStart, key: punished } = await punish(client, target, key, rule);
    return { ...rejection(punished, nowMs), isBanStart };
  };
}

/** Tries to admit. When that is not done, the key is banned or has no request left. */
async function admit(client: Client, target: Target): Promise<Outcome> {
  let stale = { minute: false, day: false };
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const outcome = await update(client, admissionUpdate(target, stale));
    if (outcome.isDone) return outcome;

    const { key } = outcome;
    if (!isValid(key, target.nowSeconds)) throw new UnauthorizedError();
    const { minute, day } = windowUses(key, target.nowSeconds);
    const isExhausted = minute.remaining === 0 || day.remaining === 0;
    if (isExhausted || isBanned(key, target.nowSeconds)) return outcome;
    stale = { minute: minute.isStale, day: day.isStale };
  }
  throw new Error('The key changed with every attempt to count the request.');
}

/**
 * Counts a rejection and bans the key when there were too many. A banned key costs nothing here. A
 * rejection that cannot be counted is a rejection all the same.
 */
async function punish(client: Client, target: Target, rejected: KeyRecord, rule: BanRule) {
  const tolerated = rule.toleratedRejectionsPerMinute;
  const { minute } = windowStarts(target.nowSeconds);
  let key = rejected;
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      if (isBanned(key, target.nowSeconds) || !isValid(key, target.nowSeconds)) break;
      const isStale = key.rejectionWindow < minute;
      const isBan = (isStale ? 0 : key.rejectionCount) >= tolerated;
      const outcome = await update(
        client,
        isBan
          ? banUpdate(target, { tolerated, banSeconds: rule.banSeconds })
          : rejectionUpdate(target, { isStale, tolerated }),
      );
      key = outcome.key;
      if (outcome.isDone) return { isBanStart: isBan, key };
    }
  } catch (error) {
    log.error('A rejection was not counted', error, { keyId: key.keyId });
  }
  return { isBanStart: false, key };
}

/** @throws UnauthorizedError when there is no such item */
async function update(client: Client, input: UpdateItemCommandInput): Promise<Outcome> {
  try {
    const { Attributes = {} } = await client.send(new UpdateItemCommand(input));
    return { isDone: true, key: readKeyRecord(Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    if (!error.Item) throw new UnauthorizedError();
    return { isDone: false, key: readKeyRecord(error.Item) };
  }
}

function isValid(key: KeyRecord, nowSeconds: number): boolean {
  return key.isActive && (key.expiresAt === undefined || key.expiresAt > nowSeconds);
}

function isBanned(key: KeyRecord, nowSeconds: number): boolean {
  return key.bannedUntil > nowSeconds;
}
