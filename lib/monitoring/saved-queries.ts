import { CfnQueryDefinition, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import {
  type FunctionName,
  functionNames,
  operations,
  versionPath,
} from '../settings/functions.ts';
import { capitalized } from '../settings/names.ts';

/** The logs that a query can read. */
export type LogName = 'accessLog' | 'executionLog' | FunctionName;

/** A query for CloudWatch Logs Insights, which `docs/runbook.md` names. */
interface LogQuery {
  /** @default - the access log */
  readonly logs?: readonly LogName[];
  readonly text: string;
}

/**
 * The lines that Lambda and its runtime for Node write when a function cannot be loaded, runs out of time or dies.
 * These lines are texts without a level, because the functions' log format is not Lambda's JSON.
 */
export const runtimeFailure = /Task timed out|Init Error|Runtime exited|INIT_REPORT.+Status/;

/** The queries, by the names in the runbook. A test compares these names with the runbook. */
const logQueries: Readonly<Record<string, LogQuery>> = {
  'server-errors': {
    text: `filter status like /^5/
| stats count(*) as requests, latest(ownerId) as lastOwner by status, errorType, resource, integrationStatus
| sort requests desc`,
  },
  'function-errors': {
    logs: functionNames,
    text: `filter level = "ERROR" or @message like ${runtimeFailure}
| display @timestamp, extendedRequestId, keyId, message, error.message, error.cause, @message
| sort @timestamp desc | limit 50`,
  },
  // Shows why API Gateway itself answered 500, 503 or 504. Its lines are texts that begin with a request's id.
  'execution-errors': {
    logs: ['executionLog'],
    text: `filter @message like /failed/
| display @timestamp, @message | sort @timestamp desc | limit 50`,
  },
  'cancellation-latency': {
    text: `filter method = "${operations.cancelOrder.method}" and resource = "${versionPath}${operations.cancelOrder.path}" and integrationStatus != "-"
| stats pct(authorizerLatencyMs, 99), pct(integrationLatencyMs, 99), pct(responseLatencyMs, 99)
  by bin(5m)`,
  },
  // Shows all requests to cancel an order. The request that cancelled the order has the order's `cancelRequestId`.
  'cancellations-of-order': {
    logs: ['cancelOrder'],
    text: `filter orderId = "ORDER_ID"
| display @timestamp, Outcome, keyId, sourceIp, cancelRequestId, extendedRequestId
| sort @timestamp desc | limit 50`,
  },
  'requests-by-owner': {
    text: `stats count(*) as requests, sum(responseBytes) as bytes by ownerId, plan, method, resource
| sort requests desc`,
  },
  // Shows which of an owner's systems use the limits that they share.
  'requests-of-owner': {
    text: `filter ownerId = "OWNER_ID"
| stats count(*) as requests by bin(1m), keyId, sourceIp, status | sort requests desc`,
  },
  'requests-of-key': {
    text: `filter keyId = "KEY_ID"
| stats count(*) as requests, sum(responseBytes) as bytes by bin(1h), sourceIp, method, resource, status
| sort requests desc`,
  },
  'refused-requests': {
    text: `filter status like /^4/
| stats count(*) as refused by ownerId, keyId, sourceIp, status | sort refused desc`,
  },
};

/** Saves the runbook's queries in a folder of Logs Insights, together with the log groups that they read. */
export function addSavedQueries(
  scope: Construct,
  folder: string,
  logGroups: Readonly<Record<LogName, LogGroup>>,
): void {
  for (const [name, { logs = ['accessLog' as const], text }] of Object.entries(logQueries)) {
    new CfnQueryDefinition(scope, `${name.split('-').map(capitalized).join('')}Query`, {
      name: `${folder}/${name}`,
      queryString: text,
      logGroupNames: logs.map((log) => logGroups[log].logGroupName),
    });
  }
}
