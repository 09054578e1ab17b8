import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { deleteRestoredTable, restoreTable } from '../tables/restore-table.ts';
import { admin } from './run-admin.ts';
import { stackOfEachTest } from './stack.ts';

type Input = Readonly<Record<string, unknown>>;

const ordersTable = 'StoreOrders-prod-TablesOrders1-A1';
const restored = `${ordersTable}-20261120T093000Z`;
const usedKeysTable = 'StoreOrders-prod-TablesApiKeys1-A1-20261120T093000Z';
const at = Date.parse('2026-11-20T09:30:00Z');
const ready = {
  ...{ TableName: restored, TableArn: 'arn', TableStatus: 'ACTIVE' },
  DeletionProtectionEnabled: true,
  ContributorInsightsMode: 'THROTTLED_KEYS',
  recovery: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
  Tags: [{ Key: 'store-orders-stack', Value: 'StoreOrders-prod' }],
};
const backup = {
  ...{ BackupName: `${ordersTable}$DeletedTableBackup`, BackupArn: 'backup' },
  BackupCreationDateTime: new Date(at),
};
const fromTime = { SourceTableName: ordersTable, RestoreDateTime: new Date(at) };

/** DynamoDB's recovery as AWS documents it. The response to one write, counted from 1, is lost. */
function stageWith({ lostWrite = 0, isStuck = false, table = undefined as Input | undefined }) {
  let isRecoveryRefused = true;
  let writes = 0;
  const named = (name: string) => Object.assign(new Error(name), { name });
  const write = (changes: Input) => async (input: Input) => {
    table = { ...table, ...changes, ...input };
    writes += 1;
    if (writes === lostWrite) throw named('socket hang up');
  };
  const restore = async ({ TargetTableName: TableName, ...from }: Input) => {
    await write({ TableStatus: 'CREATING', TableArn: 'arn', from })({ TableName });
    return {};
  };
  const dynamodb = {
    async describeTable() {
      if (!table) throw named('ResourceNotFoundException');
      const Table = table;
      if (!isStuck) table = { ...table, TableStatus: 'ACTIVE' };
      return { Table };
    },
    listBackups: async () => ({ BackupSummaries: [backup] }),
    async restoreTableToPointInTime(input: Input) {
      if (/Exception$/.test(String(input.SourceTableName))) throw named(`${input.SourceTableName}`);
      return restore(input);
    },
    restoreTableFromBackup: restore,
    updateTable: write({ TableStatus: 'UPDATING' }),
    async updateContinuousBackups({ PointInTimeRecoverySpecification: recovery }: Input) {
      if (!isRecoveryRefused) return (await write({})({ recovery })) ?? {};
      isRecoveryRefused = false;
      throw named('ContinuousBackupsUnavailableException');
    },
    describeContributorInsights: async () => ({
      ContributorInsightsStatus: table?.ContributorInsightsMode ? 'ENABLED' : 'DISABLED',
    }),
    updateContributorInsights: ({ ContributorInsightsMode }: Input) =>
      write({})({ ContributorInsightsMode }),
    tagResource: ({ Tags }: Input) => write({})({ Tags }),
    deleteTable: async () => {
      if (table?.DeletionProtectionEnabled) throw named('ValidationException');
      table = undefined;
    },
  };
  const waits: number[] = [];
  const call = {
    stage: {
      name: 'prod',
      stackName: 'StoreOrders-prod',
      orders: { tableName: ordersTable },
      apiKeysTable: usedKeysTable,
      dynamodb,
    },
    io: { wait: async (ms: number) => waits.push(ms) },
    confirm: async () => {},
  };
  return { call: call as never, waits, table: () => table };
}

describe('tables restore', () => {
  it.each([
    ['a table at a time', at, fromTime],
    ['a deleted table from its backup', undefined, { BackupArn: 'backup' }],
  ])('restores %s, ready to replace it', async (_, time, from) => {
    const { call, table } = stageWith({});

    expect(await restoreTable(ordersTable, time, call)).toBe(restored);

    expect(table()).toEqual({ ...ready, from });
  });

  it.each([1, 2, 3, 4, 5])(
    'completes after the response to write %i was lost',
    async (lostWrite) => {
      const { call, table } = stageWith({ lostWrite });

      await expect(restoreTable(ordersTable, at, call)).rejects.toThrow(
        /may not be ready yet.*; run the command again to complete it$/,
      );
      await restoreTable(ordersTable, at, call);

      expect(table()).toEqual({ ...ready, from: fromTime });
    },
  );

  it.each([
    ['TableNotFoundException', false, 0, 'TableNotFoundException was deleted; omit --at'],
    [
      'InvalidRestoreTimeException',
      false,
      0,
      'restored to the time in --at; "aws dynamodb describe-continuous-backups --table-name Invalid',
    ],
    ['PointInTimeRecoveryUnavailableException', false, 0, 'has no point-in-time recovery'],
    [
      ordersTable,
      true,
      3_600_000,
      'the table is not ready after an hour; run the same command again',
    ],
  ])('ends for %s, stuck: %s, after %i ms', async (source, isStuck, waitedMs, message) => {
    const { call, waits } = stageWith({ isStuck });

    await expect(restoreTable(source, at, call)).rejects.toThrow(message);

    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(waitedMs);
  });
});

it.each([
  [restored, undefined],
  ...[
    ordersTable,
    usedKeysTable,
    'StoreOrders-staging-TablesOrders1-A1-20261120T093000Z',
    'Other',
  ].map((name) => [name, ready] as const),
])('tables delete deletes only an unused restored table: %s', async (name, left) => {
  const { call, table } = stageWith({ table: ready });

  const failure = await deleteRestoredTable(name, call).catch((error) => error);

  expect(table()).toEqual(left);
  expect(failure?.message).toEqual(left && expect.stringContaining('has no unused restored table'));
});

const stack = stackOfEachTest();

it('the commands of tables name account and Region in the question, and print the name of the table', async () => {
  const name = 'StoreOrders-staging-TablesOrders1-A1-20261120T093000Z';
  stack.outputs.OrdersTableName = name.slice(0, -17);
  const dynamodb = mockClient(DynamoDBClient);
  const shown = { TableStatus: 'ACTIVE', DeletionProtectionEnabled: true } as const;
  dynamodb.onAnyCommand().resolves({});
  dynamodb.on(DescribeTableCommand).resolves({ Table: { ...shown, TableArn: 'arn' } });
  const run = (words: string[], io = {}) => admin(['tables', ...words, '--stage', 'staging'], io);

  const done = await run(['restore', 'orders', '--at', '2026-11-20T09:30:00Z']);
  const asked = await run(['delete', name], { isTerminal: true, input: 'n\n' });
  const deleted = await run(['delete', name, '--yes']);
  dynamodb.restore();

  const place = 'stage staging (111122223333, eu-central-1)';
  expect(done).toEqual({ exitCode: 0, stdout: `${name}\n`, stderr: `${place}\n` });
  expect(asked.stderr).toContain(`${place}: Delete ${name} for good? [y/N] `);
  expect(deleted).toEqual({ exitCode: 0, stdout: `Deleted ${name}.\n`, stderr: `${place}\n` });
});
