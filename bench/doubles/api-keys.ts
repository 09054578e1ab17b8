import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { hashOwnerPart, hashToken, tokenChecksum } from '../../lambdas/shared/api-key.ts';

/** The outcome of a canned key's requests, which its owner's item always leads to. */
export type KeyCase = 'admitted' | 'full' | 'banned' | 'unknown';

type Item = Record<string, AttributeValue>;

const prefix = 'so_test_';
const keysPerOwner = 4;
const limits = { perMinute: 60_000, perDay: 10_000_000 };
const minuteSeconds = 60;
const daySeconds = 86_400;

/** The token of a canned key. @param index distinguishes the keys of an owner */
export function cannedToken(keyCase: KeyCase, index = 0): string {
  const body = prefix + keyCase.padEnd(20, '0') + String(index).padStart(20, '0');
  return body + tokenChecksum(body);
}

/** The item of an owner with four keys that our authorizer reads; undefined for an unknown owner. */
export function cannedOwner(ownerHash: string | undefined): Item | undefined {
  const keyCase = caseOf((token) => hashOwnerPart(token) === ownerHash);
  if (!keyCase) return undefined;
  const tokens = Array.from({ length: keysPerOwner }, (_, index) => cannedToken(keyCase, index));
  const minuteCount = keyCase === 'full' ? limits.perMinute : 17;
  const bannedUntil = keyCase === 'banned' ? nowSeconds() + minuteSeconds : 0;
  return ownerItem(tokens, limits, { minuteCount, bannedUntil });
}

/** The item of a key that the peer's authorizer reads; undefined for an unknown key. */
export function cannedPeerKey(keyHash: string | undefined): Item | undefined {
  const keyCase = caseOf((token) => hashToken(token) === keyHash);
  return keyCase && peerKey(cannedToken(keyCase), ownerIdOf(keyCase), limits);
}

/**
 * The item of an owner without any requests. Its minute window is two minutes ahead of the clock, so
 * that the window does not end during a measurement.
 */
export function burstOwner(tokens: string[], perMinute: number): Item {
  const ahead = { minuteCount: 0, bannedUntil: 0, minutesAhead: 2 };
  return ownerItem(tokens, { perMinute, perDay: 1_000 }, ahead);
}

/** The items of the same owner's keys that the peer's authorizer reads. */
export function burstPeerKeys(tokens: string[], perMinute: number): Item[] {
  return tokens.map((token) => peerKey(token, 'own_burst', { perMinute, perDay: 1_000 }));
}

interface State {
  minuteCount: number;
  bannedUntil: number;
  minutesAhead?: number;
}

function ownerItem(
  tokens: string[],
  owned: typeof limits,
  { minuteCount, bannedUntil, minutesAhead = 0 }: State,
): Item {
  const minute = nowSeconds() - (nowSeconds() % minuteSeconds);
  const day = nowSeconds() - (nowSeconds() % daySeconds);
  const minuteWindow = minute + minutesAhead * minuteSeconds;
  const entries = tokens.map((token, index) => [
    hashToken(token),
    { M: { id: text(`${index}`.padStart(12, '0')), ...numbers({ bannedUntil, usedAt: 0 }) } },
  ]);
  return {
    ownerHash: text(hashOwnerPart(tokens[0]!)),
    ownerId: text(ownerIdOf('admitted')),
    plan: text('enterprise'),
    status: text('active'),
    ...numbers(owned),
    ...numbers({ minuteWindow, minuteCount, dayWindow: day, dayCount: 0 }),
    ...numbers({ priorMinuteWindow: minute - minuteSeconds, priorMinuteCount: 12 }),
    ...numbers({ priorDayWindow: day - daySeconds, priorDayCount: 900 }),
    keys: { M: Object.fromEntries(entries) },
  };
}

function peerKey(token: string, ownerId: string, owned: typeof limits): Item {
  return {
    keyHash: text(hashToken(token)),
    keyId: text('key_0123456789abcdefghijklmnopqrstuv'),
    ownerId: text(ownerId),
    plan: text('enterprise'),
    status: text('active'),
    ...numbers(owned),
  };
}

/** Whether a counter of the peer, whose key ends with an owner's id, is used up. */
export function isPeerCounterFull(key: string): boolean {
  // The peer has no bans, so it is compared with a key that is over its limit.
  return key.endsWith(ownerIdOf('full')) || key.endsWith(ownerIdOf('banned'));
}

function caseOf(matches: (token: string) => boolean): KeyCase | undefined {
  const known = ['admitted', 'full', 'banned'] as const;
  return known.find((keyCase) => matches(cannedToken(keyCase)));
}

function ownerIdOf(keyCase: KeyCase): string {
  return `own_${keyCase.padEnd(20, '0')}`;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function text(value: string): AttributeValue {
  return { S: value };
}

function numbers(values: Record<string, number>): Item {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { N: String(value) }]),
  );
}
