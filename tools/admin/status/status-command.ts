import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import type { Command } from 'commander';
import { type FunctionName, functionNames } from '../../../lib/settings/functions.ts';
import { capitalized, stackName } from '../../../lib/settings/names.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { DifferentError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { type Field, tableText } from '../console/view.ts';
import { withCallLimits } from '../stage/call-limits.ts';
import type { StageConnection } from '../stage/stage-connection.ts';

/** Adds the command `status`. */
export function addStatusCommand(program: Command, io: CommandIo): void {
  addVerb(program, io, {
    usage: 'status',
    description: 'show whether a stage works: its alarms, tables, and deployed versions',
    help: statusHelp,
    examples: ['status --stage prod'],
    run: status,
  });
}

const statusHelp = `
The first line is "STAGE works", or it names the problems: an alarm that is on, alarms that reach nobody, and a table
that is missing or not ready. If there is a problem, the exit code is 4. The dashboard shows more. For a local run, the
command checks only the tables.`;

async function status({ stage, options, columns }: Call): Promise<Result> {
  const { place } = stage;
  const isDeployed = options.local === undefined;
  const [tables, alarms, unheard, functions] = await Promise.all([
    tableProblems(stage),
    isDeployed ? raisedAlarms(stage) : [],
    isDeployed ? unheardAlarms(stage) : undefined,
    isDeployed ? Promise.all(functionNames.map((name) => serving(name, stage))) : [],
  ]);
  const isAddressGiven = stageSettings(stage.name).alarmEmail !== undefined;
  const problems = [
    ...alarms.map(({ name }) => `the alarm ${name} is on`),
    ...(unheard && isAddressGiven ? [unheard] : []),
    ...tables,
  ];
  const remark = unheard && !isAddressGiven ? `, but ${unheard}` : '';
  const verdict = `${problems.join('; ') || `${stage.name} works`}${remark}`;
  const texts = [
    `${verdict}\n${place}`,
    tableText(alarmFields, alarms, '', columns),
    tableText(functionFields, functions),
  ];
  return {
    value: { works: problems.length === 0, problems, place, alarms, functions },
    text: texts.filter(Boolean).join('\n\n'),
    ...(problems.length > 0 && { failure: new DifferentError(`${stage.name}: ${verdict}`) }),
  };
}

async function tableProblems({ dynamodb, orders, apiKeysTable, ownersTable }: StageConnection) {
  const names = [orders.tableName, apiKeysTable, ownersTable];
  const found = names.map(async (TableName) => {
    const described = await dynamodb.describeTable({ TableName }).catch((error: unknown) => {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    });
    const { TableStatus = 'missing', RestoreSummary } = described?.Table ?? {};
    if (RestoreSummary?.RestoreInProgress) return [`the table ${TableName} is being restored`];
    if (TableStatus === 'ACTIVE' || TableStatus === 'UPDATING') return [];
    return [`the table ${TableName} is ${TableStatus.toLowerCase()}`];
  });
  return (await Promise.all(found)).flat();
}

/** A raised alarm. `since` is in ISO 8601. */
interface RaisedAlarm {
  readonly name: string;
  readonly description: string | null;
  readonly since: string | null;
}

async function raisedAlarms({ name, settings }: StageConnection): Promise<RaisedAlarm[]> {
  // Loaded here, like the two modules below, because no other command needs it.
  const { CloudWatchClient, paginateDescribeAlarms } = await import('@aws-sdk/client-cloudwatch');
  const client = withCallLimits(new CloudWatchClient(settings));
  const raised = { AlarmNamePrefix: `${stackName(name)}-`, StateValue: 'ALARM' } as const;
  const pages = await Array.fromAsync(paginateDescribeAlarms({ client }, raised));
  return pages.flatMap(({ MetricAlarms = [] }) =>
    MetricAlarms.map((alarm) => ({
      name: alarm.AlarmName!,
      description: alarm.AlarmDescription ?? null,
      since: alarm.StateUpdatedTimestamp?.toISOString() ?? null,
    })),
  );
}

/** Why alarms reach nobody; undefined if somebody has confirmed a subscription. */
async function unheardAlarms({ output, settings }: StageConnection): Promise<string | undefined> {
  const { GetTopicAttributesCommand, SNSClient } = await import('@aws-sdk/client-sns');
  const client = withCallLimits(new SNSClient(settings));
  const TopicArn = output('AlarmTopicArn');
  const { Attributes = {} } = await client.send(new GetTopicAttributesCommand({ TopicArn }));
  if (Number(Attributes.SubscriptionsConfirmed) > 0) return undefined;
  const isPending = Number(Attributes.SubscriptionsPending) > 0;
  const reason = isPending ? 'nobody has confirmed the subscription' : 'nobody has subscribed';
  return `alarms reach nobody: ${reason} (docs/runbook.md, "Alarms that reach nobody")`;
}

/** The versions of a function that serve: several during a gradual deployment. */
async function serving(name: FunctionName, { output, settings }: StageConnection) {
  const { LambdaClient, ListAliasesCommand } = await import('@aws-sdk/client-lambda');
  const client = withCallLimits(new LambdaClient(settings));
  const FunctionName = output(`${capitalized(name)}FunctionName`);
  const { Aliases: [alias] = [] } = await client.send(new ListAliasesCommand({ FunctionName }));
  const shares = Object.entries(alias?.RoutingConfig?.AdditionalVersionWeights ?? {});
  const others = shares.map(([version, share]) => `${version} (${Math.round(share * 100)} %)`);
  return { name, versions: [alias?.FunctionVersion ?? '$LATEST', ...others] };
}

const alarmFields: readonly Field<RaisedAlarm>[] = [
  { name: 'alarm', of: ({ name }) => name },
  { name: 'meaning', of: ({ description }) => description, isCuttable: true },
  { name: 'since', of: ({ since }) => since },
];

const functionFields: readonly Field<Awaited<ReturnType<typeof serving>>>[] = [
  { name: 'function', of: ({ name }) => name },
  { name: 'versions', of: ({ versions }) => versions.join(', ') },
];
