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
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { stackName } from '../settings/names.ts';
import type { StageConfiguration } from '../settings/stages.ts';
import { AccessLogMetrics } from './access-log-metrics.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { Dashboard } from './dashboard.ts';
import type { LogName } from './log-queries.ts';
import { warnOfMissingSettings } from './notices.ts';
import { budgetBurns } from './objectives.ts';
import { SavedQueries } from './saved-queries.ts';
import { ServiceMetrics, type ServiceMetricsProps } from './service-metrics.ts';

export interface MonitoringProps {
  readonly configuration: StageConfiguration;
  readonly restApi: RestApi;
  readonly logs: Readonly<Record<LogName, { readonly logGroup: LogGroup }>>;
  readonly tables: ServiceMetricsProps['tables'];
}

/** The text of an alarm and the condition on which it is raised. */
interface AlarmDefinition {
  /** A sentence on how the problem affects users. */
  readonly meaning: string;
  /** The anchor of a heading in `docs/runbook.md`. */
  readonly runbookAnchor: string;
  readonly metric: IMetric;
  readonly above: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm?: number;
  readonly evaluateLowSampleCountPercentile?: string;
}

/**
 * Alarms on problems that users notice, each with a section in the runbook, and a dashboard. There is
 * no alarm on mere causes, such as high CPU use. docs/adr/0006-alarms-on-what-users-feel.md gives the
 * reasons.
 */
export class Monitoring extends Construct {
  /** The alarms on errors that new code can introduce, which roll a deployment back. */
  readonly deploymentAlarms: Alarm[];

  private readonly configuration: StageConfiguration;
  private readonly metrics: ServiceMetrics;
  private readonly topic?: AlarmTopic;
  private readonly alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { configuration, logs } = props;
    this.configuration = configuration;
    this.metrics = new ServiceMetrics(props);
    if (configuration.alarmEmail) {
      this.topic = new AlarmTopic(this, 'AlarmTopic', { email: configuration.alarmEmail });
    }
    warnOfMissingSettings(this, configuration);
    new AccessLogMetrics(this, 'AccessLog', {
      accessLog: logs.accessLog.logGroup,
      metrics: this.metrics,
    });
    this.deploymentAlarms = [this.addServerErrorAlarm(), this.addAuthorizerAlarm()];
    this.addBudgetAlarms();
    this.addCancellationAlarm();
    this.addThrottlingAlarms();
    this.addBanAlarm();
    const name = stackName(configuration.stage);
    const { links } = new SavedQueries(this, 'SavedQueries', { folder: name, logs });
    new Dashboard(this, 'Dashboard', {
      name,
      metrics: this.metrics,
      alarms: this.alarms,
      queryLinks: links,
    });
  }

  private addServerErrorAlarm(): Alarm {
    return this.addAlarm('ServerErrors', {
      meaning: 'More than 1 % of all requests are answered with a 5xx.',
      runbookAnchor: 'server-errors',
      // With little traffic, a single failure is more than 1 %, so at least five errors are required.
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

  private addAuthorizerAlarm(): Alarm {
    return this.addAlarm('AuthorizerFailures', {
      meaning: 'The authorizer fails: clients with a good key are answered 503.',
      runbookAnchor: 'authorizer-failures',
      metric: this.metrics.authorizerFailures.with({ period: Duration.minutes(1) }),
      above: 4,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
    });
  }

  private addBudgetAlarms(): void {
    for (const { id, ...burn } of budgetBurns(this.metrics)) {
      this.addAlarm(id, { ...burn, runbookAnchor: 'error-budgets', evaluationPeriods: 1 });
    }
  }

  private addCancellationAlarm(): void {
    this.addAlarm('SlowCancellations', {
      meaning: 'One cancellation in a hundred takes longer than a second.',
      runbookAnchor: 'slow-cancellations',
      metric: this.metrics.cancelLatency('p99'),
      above: 1_000,
      evaluationPeriods: 3,
      evaluateLowSampleCountPercentile: 'ignore',
    });
  }

  private addThrottlingAlarms(): void {
    for (const [name, metric] of Object.entries(this.metrics.throttledTables)) {
      this.addAlarm(name, {
        meaning: 'DynamoDB throttles: requests are answered 503, or slowly after a retry.',
        runbookAnchor: 'throttled-tables',
        metric,
        above: 0,
        evaluationPeriods: 3,
        datapointsToAlarm: 2,
      });
    }
  }

  private addBanAlarm(): void {
    this.addAlarm('RisingBans', {
      meaning: 'More than five API keys were banned within a quarter of an hour.',
      runbookAnchor: 'rising-bans',
      metric: this.metrics.keysBanned.with({ period: Duration.minutes(15) }),
      above: 5,
      evaluationPeriods: 1,
    });
  }

  private addAlarm(id: string, definition: AlarmDefinition): Alarm {
    const { meaning, runbookAnchor, above, ...options } = definition;
    const runbook = this.configuration.runbookUrl ?? 'docs/runbook.md';
    const props: AlarmProps = {
      ...options,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // A period without requests has no data, which is not a reason for an alarm.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} Runbook: ${runbook}#${runbookAnchor}`,
    };
    const alarm = new Alarm(this, id, props);
    this.topic?.notifyOf(alarm);
    this.alarms.push(alarm);
    return alarm;
  }
}
