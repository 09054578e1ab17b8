import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { PlanName } from '../../lib/settings/plans.ts';
import { HalfDoneError, OperatorError, reasonOf, WrongStateError } from '../../shared/errors.ts';
import { gatewayKeyName, type KeyStore } from '../stage/key-store.ts';
import { findKey, type KeyItem } from './find-key.ts';
import { describeKey, type KeyDescription, summarizeKey } from './key-description.ts';
import { type KeyLimits, limitsFor } from './key-limits.ts';

/**
 * Moves a key to another plan: limits in DynamoDB, usage plan in API Gateway. What it has used of
 * the present minute and day stays counted.
 *
 * The usage plan stands behind the exact limits and must never be the tighter of the two: for a
 * larger plan API Gateway goes first, for a smaller one DynamoDB. Stopped half-way, the key has the
 * smaller plan's limits; running it again completes the move.
 *
 * @throws OperatorError when the key is not active, or one of the two services fails
 */
export async function setKeyPlan(
  keyId: string,
  plan: PlanName,
  asked: Partial<KeyLimits>,
  store: KeyStore,
): Promise<KeyDescription> {
  const item = await findKey(keyId, store);
  refuseUnlessActive(item, store.now());
  const limits = limitsFor(plan, asked);
  const inDynamoDb = () => updateLimits(item, plan, limits, store);
  const inGateway = () => moveToUsagePlan(keyId, store.usagePlanIds[plan], store);
  if (limits.perMinute >= Number(item.perMinute?.N)) {
    await bothOf(inGateway, inDynamoDb, keyId);
  } else {
    await bothOf(inDynamoDb, inGateway, keyId);
  }
  return describeKey(await findKey(keyId, store), store.now());
}

async function bothOf(
  first: () => Promise<void>,
  second: () => Promise<void>,
  keyId: string,
): Promise<void> {
  try {
    await first();
    await second();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new HalfDoneError(
      `The plan of ${keyId} may be changed in part only: ${reasonOf(error)}; run the command again ` +
        'to complete it',
      { cause: error },
    );
  }
}

async function updateLimits(
  item: KeyItem,
  plan: PlanName,
  { perMinute, perDay }: KeyLimits,
  store: KeyStore,
): Promise<void> {
  await store.dynamodb.send(
    new UpdateItemCommand({
      TableName: store.apiKeysTable,
      Key: { keyHash: item.keyHash! },
      UpdateExpression: 'SET #plan = :plan, perMinute = :perMinute, perDay = :perDay',
      ConditionExpression: 'attribute_exists(keyHash)',
      ExpressionAttributeNames: { '#plan': 'plan' },
      ExpressionAttributeValues: {
        ':plan': { S: plan },
        ':perMinute': { N: String(perMinute) },
        ':perDay': { N: String(perDay) },
      },
    }),
  );
}

/** API Gateway lets a key be in one usage plan of a stage only, so it leaves the old one first. */
async function moveToUsagePlan(keyId: string, usagePlanId: string, store: KeyStore): Promise<void> {
  const { gateway } = store;
  const name = gatewayKeyName(store, keyId);
  const [existing] = await gateway.findApiKeys(name);
  const id = existing ?? (await gateway.createApiKey({ name, value: keyId, enabled: true })).id;
  const present = await gateway.findUsagePlans({ keyId: id });
  for (const other of present.filter((each) => each !== usagePlanId)) {
    await gateway.deleteUsagePlanKey({ usagePlanId: other, keyId: id });
  }
  if (!present.includes(usagePlanId)) {
    await gateway.createUsagePlanKey({ usagePlanId, keyId: id });
  }
}

function refuseUnlessActive(item: KeyItem, nowMs: number): void {
  const { keyId, status } = summarizeKey(item, nowMs);
  if (status === 'active') return;
  throw new WrongStateError(
    `${keyId} is ${status}: its plan cannot be changed; "keys issue" makes its owner a new one`,
  );
}
