import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { stackName } from '../settings/names.ts';
import type { StageConfiguration } from '../settings/stages.ts';
import { AlarmTopic } from './alarm-topic.ts';
import { Dashboard } from './dashboard.ts';
import { ServiceMetrics, type ServiceMetricsProps } from './service-metrics.ts';

export interface MonitoringProps {
  readonly configuration: StageConfiguration;
  readonly restApi: RestApi;
  readonly accessLogs: LogGroup;
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

  private readonly metrics: ServiceMetrics;
  private readonly topic?: AlarmTopic;
  private readonly alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { configuration } = props;
    this.metrics = new ServiceMetrics(props);
    if (configuration.alarmEmail) {
      this.topic = new AlarmTopic(this, 'AlarmTopic', { email: configuration.alarmEmail });
    }
    this.countAuthorizerFailures(props.accessLogs);
    this.deploymentAlarms = [this.serverErrors(), this.authorizerFailures()];
    this.slowCancellations();
    this.throttledTables();
    this.risingBans();
    new Dashboard(this, 'Dashboard', {
      name: stackName(configuration.stage),
      metrics: this.metrics,
      alarms: this.alarms,
    });
  }

  /**
   * Lambda's own error count is no use here: the authorizer answers 401 by throwing, as API Gateway
   * wants it. So the failures are counted where they are told apart, in the access log.
   */
  private countAuthorizerFailures(accessLogs: LogGroup): void {
    const { namespace, metricName } = this.metrics.authorizerFailures;
    new MetricFilter(this, 'AuthorizerFailureFilter', {
      logGroup: accessLogs,
      filterPattern: FilterPattern.stringValue('$.errorType', '=', 'AUTHORIZER_*'),
      metricNamespace: namespace,
      metricName,
      metricValue: '1',
      dimensions: { Stage: '$.stage' },
    });
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
    const props: AlarmProps = {
      ...options,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // No traffic is no trouble.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} Runbook: docs/runbook.md#${runbookAnchor}`,
    };
    const alarm = new Alarm(this, id, props);
    this.topic?.tell(alarm);
    this.alarms.push(alarm);
    return alarm;
  }
}
