import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { hashToken } from '../../lambdas/shared/api-key.ts';
import type { PlanName } from '../../lib/settings/plans.ts';
import { createKeyId, createToken } from '../../shared/api-key-token.ts';
import { HalfDoneError, InvalidValueError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { gatewayKeyName, type KeyStore } from '../stage/key-store.ts';
import { limitsFor } from './key-limits.ts';

export interface KeyRequest {
  plan: PlanName;
  owner: string;
  /** Requests per UTC minute; the plan's own when absent. */
  perMinute?: number;
  /** Requests per UTC day; the plan's own when absent. */
  perDay?: number;
  /** Unix seconds; never expires when absent. */
  expiresAt?: number;
}

export interface IssuedKey {
  keyId: string;
  /** The bearer token: shown once, stored nowhere. */
  apiKey: string;
  plan: PlanName;
  owner: string;
  perMinute: number;
  perDay: number;
  /** Unix seconds. */
  expiresAt?: number;
}

/** A key that is made up and checked, and exists nowhere yet. */
export interface DraftKey {
  readonly issued: IssuedKey;
  readonly item: Record<string, AttributeValue>;
}

const ownerMaxLength = 200;

/**
 * Issues a key: its API Gateway key first, in the plan's usage plan, then the DynamoDB item, which
 * is what makes the token valid. Stopped anywhere in between, no token works that nobody knows of.
 *
 * @throws OperatorError when the request is wrong, or one of the two services fails
 */
export async function issueKey(request: KeyRequest, store: KeyStore): Promise<IssuedKey> {
  const draft = draftKey(request, store);
  const { keyId } = draft.issued;
  const explain = (reason: unknown) =>
    `No key was issued: ${reasonOf(reason)}; what may be left of ${keyId} no token opens, but it ` +
    `could not be removed: run "keys revoke ${keyId}", then this command again`;
  await withGatewayKey(draft, store, () => putKeyItem(draft, store), explain);
  return draft.issued;
}

/** Makes up a key without storing it. @throws OperatorError when the request is wrong */
export function draftKey(request: KeyRequest, store: KeyStore): DraftKey {
  const issued: IssuedKey = {
    keyId: createKeyId(),
    apiKey: createToken(store.tokenPrefix),
    plan: request.plan,
    owner: checkedOwner(request.owner),
    ...limitsFor(request.plan, request),
    ...(request.expiresAt !== undefined && { expiresAt: request.expiresAt }),
  };
  return { issued, item: keyItem(issued, store.now()) };
}

/**
 * Runs the write that makes a key valid with the key's API Gateway side in place, and takes that
 * side away again when the write fails.
 *
 * @param explain what to tell, and what to do, when it cannot be known whether the write was done
 */
export async function withGatewayKey(
  draft: DraftKey,
  store: KeyStore,
  makeValid: () => Promise<void>,
  explain: (reason: unknown) => string,
): Promise<void> {
  const { keyId, plan } = draft.issued;
  try {
    const name = gatewayKeyName(store, keyId);
    const { id } = await store.gateway.createApiKey({ name, value: keyId, enabled: true });
    await store.gateway.createUsagePlanKey({ usagePlanId: store.usagePlanIds[plan], keyId: id });
    await makeValid();
  } catch (error) {
    if (await isValidAfterAll(draft, store, explain(error))) return;
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`No key was issued: ${reasonOf(error)}; run the command again`, {
      cause: error,
    });
  }
}

// A write whose answer was lost may have arrived. If it has not, nothing of the key may stay.
async function isValidAfterAll(
  { issued: { keyId }, item }: DraftKey,
  store: KeyStore,
  explanation: string,
): Promise<boolean> {
  try {
    const Key = { keyHash: item.keyHash! };
    const stored = await store.dynamodb.send(
      new GetItemCommand({ TableName: store.apiKeysTable, Key, ConsistentRead: true }),
    );
    if (stored.Item) return true;
    await deleteGatewayKeys(keyId, store);
    return false;
  } catch (error) {
    throw new HalfDoneError(explanation, { cause: error });
  }
}

/** Deletes a key's counterpart in API Gateway, wherever it stands. Returns how many there were. */
export async function deleteGatewayKeys(keyId: string, store: KeyStore): Promise<number> {
  const ids = await store.gateway.findApiKeys(gatewayKeyName(store, keyId));
  for (const apiKey of ids) await store.gateway.deleteApiKey({ apiKey });
  return ids.length;
}

async function putKeyItem({ item }: DraftKey, store: KeyStore): Promise<void> {
  await store.dynamodb.send(
    new PutItemCommand({
      TableName: store.apiKeysTable,
      Item: item,
      ConditionExpression: 'attribute_not_exists(keyHash)',
    }),
  );
}

function keyItem(issued: IssuedKey, nowMs: number): Record<string, AttributeValue> {
  return {
    keyHash: { S: hashToken(issued.apiKey) },
    keyId: { S: issued.keyId },
    owner: { S: issued.owner },
    plan: { S: issued.plan },
    perMinute: { N: String(issued.perMinute) },
    perDay: { N: String(issued.perDay) },
    status: { S: 'active' },
    createdAt: { S: new Date(nowMs).toISOString() },
    ...(issued.expiresAt !== undefined && { expiresAt: { N: String(issued.expiresAt) } }),
    // The authorizer's counters: windows as Unix seconds of their start, none begun yet.
    minuteWindow: { N: '0' },
    minuteCount: { N: '0' },
    dayWindow: { N: '0' },
    dayCount: { N: '0' },
    rejectionWindow: { N: '0' },
    rejectionCount: { N: '0' },
  };
}

function checkedOwner(owner: string): string {
  const name = owner.trim();
  if (name !== '' && name.length <= ownerMaxLength && !/\p{Cc}/u.test(name)) return name;
  throw new InvalidValueError(
    'owner',
    owner,
    `a name of 1 to ${ownerMaxLength} characters on one line`,
  );
}
