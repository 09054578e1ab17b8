import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Annotations, Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { stackName } from '../settings/names.ts';
import { type StageConfiguration, variableName } from '../settings/stages.ts';
import { AccessLogMetrics } from './access-log-metrics.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { Dashboard } from './dashboard.ts';
import type { LogName } from './log-queries.ts';
import { budgetBurns } from './objectives.ts';
import { SavedQueries } from './saved-queries.ts';
import { ServiceMetrics, type ServiceMetricsProps } from './service-metrics.ts';

export interface MonitoringProps {
  readonly configuration: StageConfiguration;
  readonly restApi: RestApi;
  readonly logGroups: Readonly<Record<LogName, LogGroup>>;
  readonly tables: ServiceMetricsProps['tables'];
}

/** What an alarm says to whoever it wakes, and when it does. */
interface AlarmDefinition {
  /** What users feel, in a sentence. */
  readonly meaning: string;
  /** Heading of `docs/runbook.md`, as its link. */
  readonly runbookAnchor: string;
  readonly metric: IMetric;
  readonly above: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm?: number;
  readonly evaluateLowSampleCountPercentile?: string;
}

/**
 * Alarms on what users feel, each with a section in the runbook, and one dashboard. Nothing here
 * alarms on a cause: a full CPU that nobody notices wakes nobody.
 */
export class Monitoring extends Construct {
  /** Errors that a new version of the code can bring: these take a deployment back. */
  readonly deploymentAlarms: Alarm[];

  private readonly configuration: StageConfiguration;
  private readonly metrics: ServiceMetrics;
  private readonly topic?: AlarmTopic;
  private readonly alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { configuration, logGroups } = props;
    this.configuration = configuration;
    this.metrics = new ServiceMetrics(props);
    if (configuration.alarmEmail) {
      this.topic = new AlarmTopic(this, 'AlarmTopic', { email: configuration.alarmEmail });
    }
    this.warnOfWhatIsMissing();
    new AccessLogMetrics(this, 'AccessLog', {
      accessLog: logGroups.accessLog,
      metrics: this.metrics,
    });
    this.deploymentAlarms = [this.serverErrors(), this.authorizerFailures()];
    this.burntBudgets();
    this.slowCancellations();
    this.throttledTables();
    this.risingBans();
    const name = stackName(configuration.stage);
    const { links } = new SavedQueries(this, 'SavedQueries', { folder: name, logGroups });
    new Dashboard(this, 'Dashboard', {
      name,
      metrics: this.metrics,
      alarms: this.alarms,
      queryLinks: links,
    });
  }

  /** At synthesis, of what deploys well and is missed at night. */
  private warnOfWhatIsMissing(): void {
    const { stage, runbookUrl, alarmEmail } = this.configuration;
    const annotations = Annotations.of(this);
    if (!runbookUrl) {
      annotations.addWarningV2(
        'store-orders:runbookUrl',
        `The alarms of ${stage} name the runbook by its path, without an address: set ${variableName(stage, 'runbookUrl')} to its https URL.`,
      );
    }
    if (!alarmEmail && stage === 'prod') {
      annotations.addWarningV2(
        'store-orders:alarmEmail',
        `Nobody is told of an alarm of ${stage}: set ${variableName(stage, 'alarmEmail')} to an e-mail address.`,
      );
    }
  }

  private serverErrors(): Alarm {
    return this.alarm('ServerErrors', {
      meaning: 'More than 1 % of all requests are answered with a 5xx.',
      runbookAnchor: 'server-errors',
      // Two failures at night are not a rate.
      metric: new MathExpression({
        label: '5xx in percent of all requests',
        expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
        usingMetrics: { errors: this.metrics.serverErrors, requests: this.metrics.requests },
        period: Duration.minutes(1),
      }),
      above: 1,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
    });
  }

  private authorizerFailures(): Alarm {
    return this.alarm('AuthorizerFailures', {
      meaning: 'The authorizer fails: clients with a good key are answered 503.',
      runbookAnchor: 'authorizer-failures',
      metric: this.metrics.authorizerFailures.with({ period: Duration.minutes(1) }),
      above: 4,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
    });
  }

  private burntBudgets(): void {
    for (const { id, ...burn } of budgetBurns(this.metrics)) {
      this.alarm(id, { ...burn, runbookAnchor: 'error-budgets', evaluationPeriods: 1 });
    }
  }

  private slowCancellations(): void {
    this.alarm('SlowCancellations', {
      meaning: 'One cancellation in a hundred takes longer than a second.',
      runbookAnchor: 'slow-cancellations',
      metric: this.metrics.cancelLatency('p99'),
      above: 1_000,
      evaluationPeriods: 3,
      evaluateLowSampleCountPercentile: 'ignore',
    });
  }

  private throttledTables(): void {
    for (const [name, metric] of Object.entries(this.metrics.throttledTables)) {
      this.alarm(name, {
        meaning: 'DynamoDB throttles: requests are answered 503, or slowly after a retry.',
        runbookAnchor: 'throttled-tables',
        metric,
        above: 0,
        evaluationPeriods: 3,
        datapointsToAlarm: 2,
      });
    }
  }

  private risingBans(): void {
    this.alarm('RisingBans', {
      meaning: 'More than five API keys were banned within a quarter of an hour.',
      runbookAnchor: 'rising-bans',
      metric: this.metrics.keysBanned.with({ period: Duration.minutes(15) }),
      above: 5,
      evaluationPeriods: 1,
    });
  }

  private alarm(id: string, definition: AlarmDefinition): Alarm {
    const { meaning, runbookAnchor, above, ...options } = definition;
    const runbook = this.configuration.runbookUrl ?? 'docs/runbook.md';
    const props: AlarmProps = {
      ...options,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // No traffic is no trouble.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} Runbook: ${runbook}#${runbookAnchor}`,
    };
    const alarm = new Alarm(this, id, props);
    this.topic?.tell(alarm);
    this.alarms.push(alarm);
    return alarm;
  }
}
