import { describe, expect, it } from '@jest/globals';
import { deleteRestoredTable, restoreTable } from '../tables/restore-table.ts';

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
    listBackups: async () => ({
      BackupSummaries: [
        {
          ...{ BackupName: `${ordersTable}$DeletedTableBackup`, BackupArn: 'backup' },
          BackupCreationDateTime: new Date(at),
        },
      ],
    }),
    async restoreTableToPointInTime(input: Input) {
      if (input.SourceTableName === 'gone') throw named('TableNotFoundException');
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
      ordersTable,
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

  it('says how to restore a deleted table', async () => {
    await expect(restoreTable('gone', at, stageWith({}).call)).rejects.toThrow(
      'gone was deleted; leave --at out',
    );
  });

  it('ends after an hour', async () => {
    const { call, waits } = stageWith({ isStuck: true });

    await expect(restoreTable(ordersTable, at, call)).rejects.toThrow(/; run the same command/);

    expect(waits.reduce((sum, ms) => sum + ms)).toBe(3_600_000);
  });
});

describe('tables delete', () => {
  it('deletes a restored table', async () => {
    const { call, table } = stageWith({ table: ready });

    await deleteRestoredTable(restored, call);

    expect(table()).toBeUndefined();
  });

  it.each([
    ordersTable,
    usedKeysTable,
    'StoreOrders-staging-TablesOrders1-A1-20261120T093000Z',
    'Other',
  ])('does not delete %s', async (name) => {
    const { call, table } = stageWith({ table: ready });

    await expect(deleteRestoredTable(name, call)).rejects.toThrow(/has no unused restored table/);

    expect(table()).toEqual(ready);
  });
});
