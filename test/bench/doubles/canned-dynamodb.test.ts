import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cannedToken } from '../../../bench/doubles/api-keys.ts';
import {
  apiKeysTable,
  type CannedDynamodb,
  counterTable,
  startCannedDynamodb,
} from '../../../bench/doubles/canned-dynamodb.ts';
import { createLocalhostCertificate } from '../../../bench/doubles/certificate.ts';
import { ordersTableName } from '../../../bench/doubles/orders-table.ts';
import { hashOwnerPart, hashToken } from '../../../lambdas/shared/api-key.ts';

type Item = Record<string, AttributeValue>;

const certificate = await createLocalhostCertificate();
let server: CannedDynamodb;

beforeAll(async () => {
  server = await startCannedDynamodb(certificate);
});

afterAll(() => server.close());

async function send(path: string, target = '', input?: object) {
  const headers = { 'x-amz-target': `DynamoDB_20120810.${target}` };
  const method = input ? 'POST' : 'GET';
  const outgoing = request(server.endpoint + path, { method, headers, ca: certificate.cert });
  outgoing.end(input && JSON.stringify(input));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, body: JSON.parse(body) };
}

const entryOf = (item: Item) => Object.values(item.keys!.M!)[0]!.M!;
const call = (target: string, input: object) => send('/', target, input);

describe('the canned DynamoDB', () => {
  it('answers a scan with a page of the table that is named', async () => {
    const TableName = ordersTableName({ orders: 3, ordersPerPage: 2 });

    const first = await call('Scan', { TableName });
    const { LastEvaluatedKey } = first.body;
    const second = await call('Scan', { TableName, ExclusiveStartKey: LastEvaluatedKey });

    expect(first.body.Items).toHaveLength(2);
    expect(second.body.Items).toHaveLength(1);
    expect(second.body.LastEvaluatedKey).toBeUndefined();
  });

  it('holds a page back as long as the table says', async () => {
    const startedAtMs = performance.now();

    await call('Scan', { TableName: ordersTableName({ orders: 1, delayMs: 40 }) });

    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(39);
  });

  it.each([
    ['admitted', (item: Item) => Number(item.minuteCount?.N) < Number(item.perMinute?.N)],
    ['full', (item: Item) => item.minuteCount?.N === item.perMinute?.N],
    ['banned', (item: Item) => Number(entryOf(item).bannedUntil?.N) > Date.now() / 1_000],
  ] as const)('knows an owner whose keys are %s, whatever is written', async (keyCase, isIt) => {
    const Key = { ownerHash: { S: hashOwnerPart(cannedToken(keyCase)) } };
    const entryOfCase = hashToken(cannedToken(keyCase, 3));

    const read = await call('GetItem', { TableName: apiKeysTable, Key });
    const counted = await call('UpdateItem', { TableName: apiKeysTable, Key });

    expect(read.body.Item).toMatchObject({ ...Key, status: { S: 'active' } });
    expect(read.body.Item.keys.M).toHaveProperty([entryOfCase]);
    expect(isIt(read.body.Item)).toBe(true);
    expect(counted.body.Attributes).toEqual(read.body.Item);
  });

  it('knows no other owner', async () => {
    const Key = { ownerHash: { S: hashOwnerPart(cannedToken('unknown')) } };

    expect((await call('GetItem', { TableName: apiKeysTable, Key })).body).toEqual({});
  });

  it("knows the same keys as the peer's authorizer asks for them", async () => {
    const Key = { keyHash: { S: hashToken(cannedToken('full')) } };

    const { body } = await call('GetItem', { TableName: apiKeysTable, Key });

    expect(body.Item).toMatchObject({ ...Key, ownerId: { S: expect.stringContaining('full') } });
  });

  it('lets a counter be created once and added to from then on', async () => {
    const Key = { key: { S: 'minute:one' } };
    const create = { TableName: counterTable, Key, ConditionExpression: 'attribute_not_exists(p)' };
    const add = { TableName: counterTable, Key, ConditionExpression: 'expire > :now' };

    const statuses = [];
    for (const input of [add, create, create, add]) {
      statuses.push((await call('UpdateItem', input)).status);
    }

    expect(statuses).toEqual([400, 200, 400, 200]);
  });

  it("has nothing left in the peer's counters of an owner whose window is full", async () => {
    const Key = { key: { S: 'minute:own_full0000000000000000' } };
    const create = { TableName: counterTable, Key, ConditionExpression: 'attribute_not_exists(p)' };

    const { body } = await call('UpdateItem', create);

    expect(Number(body.Attributes.points.N)).toBeGreaterThan(60_000);
  });

  it('refuses what it does not know', async () => {
    const unknownTable = await call('Scan', { TableName: 'nonsense' });
    const unknownOperation = await call('DeleteItem', { TableName: apiKeysTable });

    expect(unknownTable.body.__type).toContain('ResourceNotFoundException');
    expect(unknownOperation.status).toBe(400);
  });

  it('counts requests, a write unit for each write, and read units by consistency', async () => {
    const before = await send('/counts');
    const Key = { key: { S: 'minute:two' } };
    const add = { TableName: counterTable, Key, ConditionExpression: 'expire > :now' };
    await call('UpdateItem', add);
    const read = { TableName: apiKeysTable, Key: { keyHash: { S: 'abc' } } };
    await call('GetItem', read);
    await call('GetItem', { ...read, ConsistentRead: true });

    const after = await send('/counts');

    expect(after.body.requests - before.body.requests).toBe(3);
    expect(after.body.readUnits - before.body.readUnits).toBe(1.5);
    expect(after.body.writeUnits - before.body.writeUnits).toBe(1);
  });
});
