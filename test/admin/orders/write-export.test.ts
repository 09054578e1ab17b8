import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
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

  it.each([
    ['a socket', 'socket'],
    ['a link to a socket', 'link'],
    ['a directory', 'folder'],
    ['what is open already, such as standard output', 'open'],
  ])('is not put in the place of %s, nor begun', async (_, name) => {
    const path = (entry: string) => join(directory.path, entry);
    const socket = createServer().listen(path('socket'));
    await once(socket, 'listening');
    symlinkSync(path('socket'), path('link'));
    mkdirSync(path('folder'));
    const file = openSync(directory.write('file', ''), 'w');
    symlinkSync(`/dev/fd/${file}`, path('open'));

    const exported = exportTo(path(name));

    await expect(exported).rejects.toThrow(/^--out: .* is not accepted; expected a file/);
    expect(readdirSync(directory.path).sort()).toEqual([
      'file',
      'folder',
      'link',
      'open',
      'socket',
    ]);
    expect(readlinkSync(path('open'))).toBe(`/dev/fd/${file}`);
    expect(statSync(path('link')).isSocket()).toBe(true);
    closeSync(file);
    socket.close();
  });

  it('has a name: an empty one is refused, and not taken for standard output', async () => {
    await expect(exportTo('')).rejects.toThrow('--out: "" is not accepted; expected a file');
  });
});
