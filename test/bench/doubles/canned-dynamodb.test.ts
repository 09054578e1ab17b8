import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  apiKeysTable,
  type CannedDynamodb,
  counterTable,
  startCannedDynamodb,
} from '../../../bench/doubles/canned-dynamodb.ts';
import { createLocalhostCertificate } from '../../../bench/doubles/certificate.ts';
import { ordersTableName } from '../../../bench/doubles/orders-table.ts';

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

  it('knows every key, with quota left in the current windows', async () => {
    const Key = { keyHash: { S: 'abc' } };

    const read = await call('GetItem', { TableName: apiKeysTable, Key });
    const counted = await call('UpdateItem', { TableName: apiKeysTable, Key });

    expect(read.body.Item).toMatchObject({ keyHash: { S: 'abc' }, status: { S: 'active' } });
    expect(counted.body.Attributes).toEqual(read.body.Item);
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

  it('refuses what it does not know', async () => {
    const unknownTable = await call('Scan', { TableName: 'nonsense' });
    const unknownOperation = await call('DeleteItem', { TableName: apiKeysTable });

    expect(unknownTable.body.__type).toContain('ResourceNotFoundException');
    expect(unknownOperation.status).toBe(400);
  });

  it('counts requests, and a write unit for each write, also a failed one', async () => {
    const before = await send('/counts');
    const Key = { key: { S: 'minute:two' } };
    const add = { TableName: counterTable, Key, ConditionExpression: 'expire > :now' };
    await call('UpdateItem', add);
    await call('GetItem', { TableName: apiKeysTable, Key: { keyHash: { S: 'abc' } } });

    const after = await send('/counts');

    expect(after.body.requests - before.body.requests).toBe(2);
    expect(after.body.writeUnits - before.body.writeUnits).toBe(1);
  });
});
