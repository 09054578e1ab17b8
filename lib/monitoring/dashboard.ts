import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ServiceMetrics } from './service-metrics.ts';

/** Adds the stage's dashboard: alarms, responses, rejected requests, and use of the operations. */
export function addDashboard(
  scope: Construct,
  name: string,
  metrics: ServiceMetrics,
  alarms: Alarm[],
): void {
  new Dashboard(scope, 'Dashboard', {
    dashboardName: name,
    defaultInterval: Duration.hours(3),
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 3 })],
      [
        graph('Requests', [
          metrics.requests,
          metrics.accepted,
          metrics.clientErrors,
          metrics.tooManyRequests,
          metrics.serverErrors,
          metrics.listsRefused,
          metrics.listsBrokenOff,
        ]),
        graph('Cancel: latency in ms', [
          metrics.cancelLatency('p50'),
          metrics.cancelLatency('p99'),
        ]),
        graph('Authorizer failures', [metrics.authorizerFailures]),
      ],
      [
        graph('Admitted', [metrics.admitted]),
        graph('Rejected, by reason', metrics.rejected),
        graph('Keys banned', [metrics.keysBanned]),
      ],
      [
        graph('Cancellations requested, by outcome', metrics.cancellationsRequested),
        graph(
          'Orders listed, items left out, bytes streamed',
          [metrics.ordersListed, metrics.unlistedItems],
          [metrics.bytesStreamed],
        ),
        graph('DynamoDB throttling', metrics.throttled),
      ],
    ],
  });
}

function graph(title: string, left: IMetric[], right?: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, right, width: 8, height: 6 });
}
