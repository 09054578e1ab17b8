import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { metricNamespace } from '../../lambdas/contract/metric-definitions.ts';
import { stackName } from '../settings/names.ts';
import type { StageConfiguration } from '../settings/stage-configuration.ts';
import { type AlarmDefinition, alarmDefinitions, deploymentAlarmIds } from './alarms.ts';
import { addDashboard } from './dashboard.ts';
import { addSavedQueries, type LogName } from './saved-queries.ts';
import {
  accessLogConditions,
  type ServiceMetricsProps,
  serviceMetrics,
} from './service-metrics.ts';

export interface MonitoringProps extends Omit<ServiceMetricsProps, 'stage' | 'accessLog'> {
  readonly configuration: StageConfiguration;
  readonly logs: Readonly<Record<LogName, LogGroup>>;
}

/** A dashboard, and alarms on problems that users notice (docs/adr/0005-alarms-on-what-users-notice.md). */
export class Monitoring extends Construct {
  readonly deploymentAlarms: Alarm[];
  /** Notifies its subscribers, such as the stage's `alarmEmail`, when an alarm begins and when it ends. */
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { configuration, logs, ...props }: MonitoringProps) {
    super(scope, id);
    const { stage, env, runbook } = configuration;
    const { accessLog } = logs;
    const metrics = serviceMetrics({ stage, accessLog, ...props });
    this.topic = this.createTopic(configuration);
    this.countInAccessLog(accessLog);
    const alarms = alarmDefinitions(metrics).map((definition) =>
      this.createAlarm(definition, runbook),
    );
    this.deploymentAlarms = alarms.filter(({ node }) => deploymentAlarmIds.includes(node.id));
    addSavedQueries(this, stackName(stage), logs);
    // The name has the Region, because the name of a dashboard exists once in all Regions of an account.
    addDashboard(this, `${stackName(stage)}-${env.region}`, metrics, alarms);
  }

  private createAlarm(definition: AlarmDefinition, runbook: string): Alarm {
    const { id, meaning, runbookAnchor, above, ...options } = definition;
    const alarm = new Alarm(this, id, {
      ...options,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // A period without requests has no data. Missing data must not raise an alarm.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} Runbook: ${runbook}#${runbookAnchor}`,
    });
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    return alarm;
  }

  private createTopic({ alarmEmail }: StageConfiguration): Topic {
    const topic = new Topic(this, 'AlarmTopic', { enforceSSL: true });
    // `enforceSSL` gives the topic a policy, which replaces the default policy that lets alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
    return topic;
  }

  /**
   * Counts errors in the access log, which contains the status that the client received.
   *
   * API Gateway's own metric `5XXError` cannot be used, because it misses gateway responses whose status was changed.
   * These count as `4XXError`, and answer crashes, timeouts and authorizer failures. Lambda's `Errors` cannot be used
   * either, because API Gateway requires the authorizer to throw for a 401.
   *
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
   * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntaxForMetricFilters.html
   */
  private countInAccessLog(logGroup: LogGroup): void {
    for (const [metricName, condition] of Object.entries(accessLogConditions)) {
      new MetricFilter(this, `${metricName}Filter`, {
        logGroup,
        // The pattern names the stage, because a dimension has to be a field of the pattern.
        filterPattern: FilterPattern.literal(`{ ${condition} && $.stage = "*" }`),
        metricNamespace,
        metricName,
        metricValue: '1',
        dimensions: { Stage: '$.stage' },
      });
    }
  }
}
