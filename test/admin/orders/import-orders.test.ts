import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ImportObserver,
  type ImportRequest,
  type ImportTarget,
  importOrders,
} from '../../../admin/orders/import-orders.ts';
import { ordersTable } from '../../../admin/orders/orders-table.ts';
import { embeddedDynamoDbOfFile } from '../../helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../../helpers/temporary-directory.ts';

const database = embeddedDynamoDbOfFile();
const directory = temporaryDirectoryOfEachTest();
let target: ImportTarget;
let events: string[];
let controller: AbortController;

beforeEach(async () => {
  controller = new AbortController();
  events = [];
  target = {
    ...ordersTable(database.dynamodb, await database.createOrdersTable()),
    label: 'stage test',
    stateDirectory: join(directory.path, 'state'),
    now: Date.now,
    wait: async () => {},
    signal: controller.signal,
  };
});

const observer = (
  onProgress: (bytes: number, orders: number) => void = () => {},
): ImportObserver => ({
  onPhase: (phase, bytes) => void events.push(`${phase} from ${bytes}`),
  onBadLine: ({ message }) => void events.push(message),
  onDifferent: ({ message }) => void events.push(message),
  onProgress,
});

const importFile = (path: string, request: Partial<ImportRequest> = {}, into = target) =>
  importOrders({ path, onError: 'stop', ...request }, into, observer());

const jsonLines = (count: number) =>
  Array.from({ length: count }, (_, id) => `{"id":${id},"petId":7}\n`).join('');

const checkpoints = () => readdirSync(target.stateDirectory);

/** Interrupts an import when so many orders are in the table. */
async function interrupted(path: string, orders: number): Promise<void> {
  const importing = importOrders(
    { path, onError: 'stop', concurrency: 2 },
    target,
    observer((_, loaded) => {
      if (events.at(-1)?.startsWith('loading') && loaded >= orders) controller.abort();
    }),
  );
  await expect(importing).rejects.toThrow(/^stopped before line \d+, with \d+ orders in the table/);
  controller = new AbortController();
  target = { ...target, signal: controller.signal };
  events.length = 0;
}

describe('importOrders', () => {
  it('loads a file and leaves no checkpoint behind', async () => {
    const path = directory.write('orders.jsonl', jsonLines(130));

    const summary = await importFile(path);

    expect(summary).toMatchObject({
      file: path,
      format: 'jsonl',
      inserted: 130,
      resumedAtLine: null,
    });
    expect(events).toEqual(['checking from 0', 'loading from 0']);
    expect(checkpoints()).toEqual([]);
  });

  it('loads nothing when any line is bad, and tells of each', async () => {
    const path = directory.write('orders.jsonl', `${jsonLines(60)}nonsense\n{"id":1.5}\n`);

    const importing = importFile(path);

    await expect(importing).rejects.toThrow(
      `${path}: 2 bad lines beside 60 good ones; nothing was loaded: correct them, or load the others with --on-error skip`,
    );
    expect(events).toEqual([
      'checking from 0',
      expect.stringContaining('line 61: is not JSON'),
      expect.stringContaining('line 62: id: 1.5 is not accepted'),
    ]);
    expect(await database.readAll(target.tableName)).toEqual([]);
  });

  it.each([
    ['orders.json', '[{"id":1},{"id":2}', 'line 1: the array is not closed: the text is cut off'],
    ['orders.csv', 'id,customer\n1,x\n', 'header: an order has no field "customer"'],
  ])('loads nothing of a file whose structure is lost: %s', async (name, text, message) => {
    const path = directory.write(name, text);

    const importing = importFile(path);

    await expect(importing).rejects.toThrow(`${path}: ${message}`);
    expect(await database.readAll(target.tableName)).toEqual([]);
  });

  it('loads all that stands before the place where the structure is lost when asked to skip', async () => {
    const orders = Array.from({ length: 1_010 }, (_, id) => `{"id":${id}}`).join(',\n');
    const path = directory.write('orders.json', `[${orders}`);

    const importing = importFile(path, { onError: 'skip' });

    await expect(importing).rejects.toThrow(
      `${path}: stopped before line 1010, with 1,010 orders in the table before it: line 1010: the ` +
        'array is not closed: the text is cut off; mend the file there and import it again',
    );
    expect(await database.readAll(target.tableName)).toHaveLength(1_010);
  });

  it('loads all but the bad lines when asked to', async () => {
    const path = directory.write('orders.jsonl', `nonsense\n${jsonLines(60)}`);

    const summary = await importFile(path, { onError: 'skip' });

    expect(summary).toMatchObject({ inserted: 60, rejected: 1 });
    expect(events).toEqual(['loading from 0', expect.stringContaining('line 1: is not JSON')]);
  });

  it.each([
    ['jsonl', jsonLines(600)],
    ['json', `[${jsonLines(600).trim().replaceAll('\n', ',\n')}]`],
    ['csv', `id,petId\n${Array.from({ length: 600 }, (_, id) => `${id},7\n`).join('')}`],
  ])('goes on where it was interrupted: %s', async (format, text) => {
    const path = directory.write(`orders.${format}`, text);
    await interrupted(path, 300);

    const summary = await importFile(path);

    expect(summary.resumedAtLine).toBeGreaterThan(200);
    expect(summary.inserted + summary.alreadyThere).toBe(600);
    expect(events).toEqual([expect.stringMatching(/^loading from [1-9]/)]);
    expect(await database.readAll(target.tableName)).toHaveLength(600);
    expect(checkpoints()).toEqual([]);
  });

  it('never undoes a cancellation, neither of a resumed import nor of a second one', async () => {
    const path = directory.write('orders.jsonl', jsonLines(400));
    await interrupted(path, 200);
    const loaded = await database.readAll(target.tableName);
    await writeAll(
      loaded.map((order) => ({ PutRequest: { Item: { ...order, status: { S: 'cancelled' } } } })),
    );

    await importFile(path);
    await importFile(path, { restart: true });

    const orders = await database.readAll(target.tableName);
    expect(orders).toHaveLength(400);
    const cancelled = orders.filter(({ status }) => status!.S === 'cancelled');
    expect(cancelled).toHaveLength(loaded.length);
  });

  it('begins again when the file has changed', async () => {
    const path = directory.write('orders.jsonl', jsonLines(400));
    await interrupted(path, 200);
    writeFileSync(path, jsonLines(401));

    const summary = await importFile(path);

    expect(summary).toMatchObject({ resumedAtLine: null });
    expect(summary.inserted + summary.alreadyThere).toBe(401);
  });

  it('begins again when asked to', async () => {
    const path = directory.write('orders.jsonl', jsonLines(400));
    await interrupted(path, 200);

    const summary = await importFile(path, { restart: true });

    expect(summary.resumedAtLine).toBeNull();
  });

  it('begins again for a table that was made anew under the same name', async () => {
    const path = directory.write('orders.jsonl', jsonLines(400));
    await interrupted(path, 200);
    const tableName = await database.createOrdersTable();
    const [name] = checkpoints();
    const file = join(target.stateDirectory, name!);
    const before = readFileSync(file, 'utf8');

    const summary = await importFile(path, {}, { ...target, tableName });

    expect(before).toContain('tableId');
    expect(summary).toMatchObject({ inserted: 400, resumedAtLine: null });
  });

  it('begins again when the table was put back to an earlier state', async () => {
    const path = directory.write('orders.jsonl', jsonLines(400));
    await interrupted(path, 200);
    const loaded = await database.readAll(target.tableName);
    await writeAll(loaded.map(({ id }) => ({ DeleteRequest: { Key: { id: id! } } })));

    const summary = await importFile(path);

    expect(summary).toMatchObject({ inserted: 400, resumedAtLine: null });
  });

  it('takes a damaged checkpoint for none', async () => {
    const path = directory.write('orders.jsonl', jsonLines(400));
    await interrupted(path, 200);
    writeFileSync(join(target.stateDirectory, checkpoints()[0]!), '{"file":');

    const summary = await importFile(path);

    expect(summary.resumedAtLine).toBeNull();
  });

  it('leaves an order that is there with other values as it is, tells of it, and goes on', async () => {
    await importFile(directory.write('one.jsonl', '{"id":40,"petId":8}\n'));
    const path = directory.write('orders.jsonl', jsonLines(60));

    const summary = await importFile(path);

    expect(summary).toMatchObject({ inserted: 59, alreadyThere: 0, different: 1, rejected: 0 });
    expect(events.at(-1)).toBe(
      'line 41: id: order 40 is in the table already, with other values, and was left as it is',
    );
    const orders = await database.readAll(target.tableName);
    expect(orders.find(({ id }) => id!.N === '40')!.petId).toEqual({ N: '8' });
  });

  it('says so when there is no such file', async () => {
    const missing = importFile('no-such-file.jsonl');

    await expect(missing).rejects.toThrow(
      /^file: "no-such-file.jsonl" is not accepted; expected a regular file .*\(ENOENT/,
    );
  });

  it('says so when it is no file', async () => {
    const folder = importFile(directory.path);

    await expect(folder).rejects.toThrow('expected a regular file');
  });

  it('says so when no checkpoint can be kept', async () => {
    const path = directory.write('orders.jsonl', jsonLines(1));
    const stateDirectory = join(path, 'below-a-file');

    const importing = importFile(path, {}, { ...target, stateDirectory });

    await expect(importing).rejects.toThrow(
      'name a directory that can be written in XDG_STATE_HOME',
    );
  });
});

/** Writes behind the back of an import, as many at a time as DynamoDB takes. */
async function writeAll(requests: WriteRequest[]): Promise<void> {
  while (requests.length > 0) {
    const RequestItems = { [target.tableName]: requests.splice(0, 25) };
    await database.dynamodb.send(new BatchWriteItemCommand({ RequestItems }));
  }
}
