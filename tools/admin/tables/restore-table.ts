import { stackTag } from '../../../lib/settings/names.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError, WrongStateError } from '../../shared/errors.ts';
import type { Call } from '../console/verb.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import type { StageConnection } from '../stage/stage-connection.ts';

const pollMs = 15_000;
const maxPolls = 240;
/** By AWS's error. */
const refusals: Readonly<Record<string, readonly [problem: string, remedy?: string]>> = {
  TableNotFoundException: ['was deleted', 'omit --at'],
  InvalidRestoreTimeException: [
    'cannot be restored to the time in --at',
    '"aws dynamodb describe-continuous-backups --table-name TABLE" shows the times to give',
  ],
  PointInTimeRecoveryUnavailableException: ['has no point-in-time recovery'],
};

/**
 * Restores a table as a new one, and prepares it to replace the original. Each step can be repeated. Returns its name.
 *
 * @param at the time of the state to restore; undefined for a deleted table
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/pointintimerecovery_restores.html
 */
export async function restoreTable(
  source: string,
  at: number | undefined,
  call: Call,
): Promise<string> {
  const { stage } = call;
  const backup = at === undefined ? await backupOfDeleted(source, stage) : undefined;
  const time = backup?.BackupCreationDateTime ?? new Date(at!);
  const TargetTableName = `${source}-${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  await runRepeatable(`${TargetTableName} may not be ready yet`, async () => {
    if (!(await tableNamed(TargetTableName, stage))) {
      const pointInTime = { SourceTableName: source, RestoreDateTime: time };
      await (backup
        ? stage.dynamodb.restoreTableFromBackup({ TargetTableName, BackupArn: backup.BackupArn })
        : stage.dynamodb
            .restoreTableToPointInTime({ TargetTableName, ...pointInTime })
            .catch((error) => {
              const [problem, text] = refusals[Object(error).name] ?? [];
              const remedy = text?.replace('TABLE', source);
              throw problem ? new WrongStateError(`${source} ${problem}`, { remedy }) : error;
            }));
    }
    await prepare(TargetTableName, source !== stage.ownersTable, call);
  });
  return TargetTableName;
}

/** Gives a restored table what the template gives the stage's own, and DynamoDB does not copy. */
async function prepare(TableName: string, isNamingThrottledKeys: boolean, call: Call) {
  const { dynamodb, name, stackName } = call.stage;
  const { TableArn: ResourceArn } = await protect(TableName, true, call);
  const { pointInTimeRecoveryDays: RecoveryPeriodInDays } = stageSettings(name);
  const recovery = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays };
  await poll(call, () =>
    dynamodb
      .updateContinuousBackups({ TableName, PointInTimeRecoverySpecification: recovery })
      // A table that has just become active refuses this for some seconds.
      .catch(undefinedIf('ContinuousBackupsUnavailableException')),
  );
  const { ContributorInsightsStatus } = await dynamodb.describeContributorInsights({ TableName });
  if (isNamingThrottledKeys && ContributorInsightsStatus === 'DISABLED') {
    await dynamodb.updateContributorInsights({
      TableName,
      ContributorInsightsAction: 'ENABLE',
      ContributorInsightsMode: 'THROTTLED_KEYS',
    });
  }
  await dynamodb.tagResource({ ResourceArn, Tags: [{ Key: stackTag, Value: stackName }] });
}

/** Deletes a table that `restoreTable` has made and the stage does not use. */
export async function deleteRestoredTable(TableName: string, call: Call): Promise<void> {
  const { dynamodb, orders, apiKeysTable, ownersTable, stackName } = call.stage;
  const isRestored = new RegExp(`^${stackName}-.*-\\d{8}T\\d{6}Z$`).test(TableName);
  const isUsed = [orders.tableName, apiKeysTable, ownersTable].includes(TableName);
  if (!isRestored || isUsed || !(await tableNamed(TableName, call.stage))) {
    throw new NotFoundError(`Stage ${call.stage.name} has no unused restored table ${TableName}`);
  }
  await call.confirm(`Delete ${TableName} for good?`);
  await runRepeatable('The table may still exist', async () => {
    await protect(TableName, false, call);
    await dynamodb.deleteTable({ TableName });
  });
}

/** Waits until a table is active, and sets its protection from deletion. */
async function protect(TableName: string, DeletionProtectionEnabled: boolean, call: Call) {
  const active = () =>
    poll(call, async () => {
      const table = await tableNamed(TableName, call.stage);
      return table?.TableStatus === 'ACTIVE' ? table : undefined;
    });
  const table = await active();
  if (table.DeletionProtectionEnabled === DeletionProtectionEnabled) return table;
  await call.stage.dynamodb.updateTable({ TableName, DeletionProtectionEnabled });
  return active();
}

async function tableNamed(TableName: string, { dynamodb }: StageConnection) {
  const described = await dynamodb
    .describeTable({ TableName })
    .catch(undefinedIf('ResourceNotFoundException'));
  return described?.Table;
}

/** The backup that DynamoDB makes when a table with recovery is deleted, and keeps for 35 days. */
async function backupOfDeleted(TableName: string, { dynamodb }: StageConnection) {
  const { BackupSummaries = [] } = await dynamodb.listBackups({ TableName, BackupType: 'SYSTEM' });
  const name = `${TableName}$DeletedTableBackup`;
  const backup = BackupSummaries.findLast(({ BackupName }) => BackupName === name);
  if (backup) return backup;
  throw new WrongStateError(`AWS has no backup ${name}`, { remedy: 'give --at' });
}

/** Repeats a step until it returns a value. */
async function poll<T>({ io }: Call, step: () => Promise<T | undefined>): Promise<T> {
  for (let polls = 0; polls < maxPolls; polls += 1) {
    const result = await step();
    if (result) return result;
    await io.wait(pollMs);
  }
  throw new OperatorError('the table is not ready after an hour', {
    remedy: 'run the same command again to wait longer',
  });
}

function undefinedIf(name: string) {
  return (error: unknown) => {
    if (Object(error).name !== name) throw error;
    return undefined;
  };
}
