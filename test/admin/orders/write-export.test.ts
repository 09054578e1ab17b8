import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NumberValue, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { ordersTable } from '../../../admin/orders/orders-table.ts';
import { writeExport } from '../../../admin/orders/write-export.ts';
import { temporaryDirectoryOfEachTest } from '../../helpers/temporary-directory.ts';

const directory = temporaryDirectoryOfEachTest();

async function exportTo(out: string): Promise<void> {
  const table = ordersTable(new DynamoDBClient({ region: 'eu-central-1' }), 'orders');
  const Items = [{ id: NumberValue.from(1) }];
  mockClient(table.dynamodb).on(ScanCommand).resolves({ Items, Count: 1 });
  await writeExport(table, { out }, new PassThrough());
}

describe('the file of an export', () => {
  it('can be read by its owner alone', async () => {
    const out = join(directory.path, 'orders.jsonl');

    await exportTo(out);

    expect(readFileSync(out, 'utf8')).toBe('{"id":1}\n');
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory.path)).toEqual(['orders.jsonl']);
  });

  it('is not written through a link that somebody has prepared', async () => {
    const target = directory.write('target', 'as it was');
    const out = join(directory.path, 'orders.jsonl');
    for (const name of [out, `${out}.${process.pid}.partial`]) symlinkSync(target, name);

    await exportTo(out);

    expect(readFileSync(target, 'utf8')).toBe('as it was');
    expect(readFileSync(out, 'utf8')).toBe('{"id":1}\n');
  });
});
