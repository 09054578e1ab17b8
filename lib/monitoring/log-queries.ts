import { type FunctionName, functionNames } from '../settings/functions.ts';

/** The logs that a query can read. */
export type LogName = 'accessLog' | FunctionName;

/** A query for CloudWatch Logs Insights, as `docs/runbook.md` shows it. */
export interface LogQuery {
  /** The name in kebab case. The saved query is called `StoreOrders-STAGE/NAME`. */
  readonly name: string;
  readonly logs: readonly LogName[];
  readonly text: string;
}

/** All queries of the runbook. A test compares this list with the runbook in both directions. */
export const logQueries: readonly LogQuery[] = [
  {
    name: 'server-errors',
    logs: ['accessLog'],
    text: `filter status like /^5/
| stats count(*) as requests by status, errorType, resource, integrationStatus
| sort requests desc`,
  },
  {
    name: 'function-errors',
    logs: functionNames,
    text: `filter level = "ERROR"
| display timestamp, requestId, keyId, message, error.message, error.cause, error.stack
| sort @timestamp desc | limit 50`,
  },
  {
    name: 'cancellation-latency',
    logs: ['accessLog'],
    text: `filter method = "DELETE"
| stats pct(authorizerLatencyMs, 99), pct(integrationLatencyMs, 99), pct(responseLatencyMs, 99)
  by bin(5m)`,
  },
  {
    name: 'lists-by-key',
    logs: ['accessLog'],
    text: `filter resource = "/v1/store/orders" and status = "200"
| stats count(*) as lists by ownerId, keyId, plan | sort lists desc`,
  },
  {
    name: 'refused-requests',
    logs: ['accessLog'],
    text: `filter status in ["401", "429"]
| stats count(*) as refused by ownerId, keyId, sourceIp, status | sort refused desc`,
  },
  {
    name: 'bans-by-key',
    logs: ['authorizer'],
    text: `filter ispresent(KeysBanned)
| stats count(*) as bans by keyId | sort bans desc`,
  },
];
