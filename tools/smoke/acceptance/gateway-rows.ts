import type { ApiKey } from '@aws-sdk/client-api-gateway';
import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { reasonOf } from '../../shared/errors.ts';
import { CheckSkipped } from '../runner.ts';
import { preflight } from '../stage/preflight.ts';
import { headerOf } from '../stage/rate-limit.ts';
import { shown } from '../stage/stage.ts';
import { admin, gateway, lookUntil, type Row, row, secondsSince, type Trial } from './trial.ts';

const unknownPath = 'docs/clients.md: no such path';

/** The questions about API Gateway's keys. The first row waits until the key of a new owner works. */
export const gatewayKeyRows: readonly Row[] = [
  row(
    'docs/runbook.md: 503, `INVALID_API_KEY`',
    'the time until a new gateway key works',
    'within 10 s',
    async (trial) => {
      const { createdDate } = await gatewayKey(trial);
      await preflight(trial.api, console.error);
      return secondsSince(createdDate!.getTime(), 10);
    },
  ),
  row(
    'docs/operating.md: `./admin owners repair`',
    'a gateway key that is created again, and added to its usage plan again',
    '409, 409',
    async (trial) => {
      const { name, value, id } = await gatewayKey(trial);
      const member = { usagePlanId: trial.outputs.UsagePlanIdPro, keyId: id };
      const created = await statusOf(gateway.createApiKey({ name, value, enabled: true }));
      const added = await statusOf(gateway.createUsagePlanKey({ ...member, keyType: 'API_KEY' }));
      return `${created}, ${added}`;
    },
  ),
];

/**
 * The questions about requests. The first row resets the usage of the key, because the smoke test has used up its
 * limit.
 */
export const requestRows: readonly Row[] = [
  row(
    'docs/operating.md: `owners reset-usage`',
    'a request after owners reset-usage',
    '410',
    async (trial) => {
      await admin(trial, ['owners', 'reset-usage', 'customer']);
      return shown(await trial.api.call('getPet'));
    },
  ),
  row(
    'docs/clients.md: finds both windows',
    'double quotes in headers that API Gateway sets',
    '"minute";q=300;w=60, "day";q=10000;w=86400; Bearer realm="',
    async ({ api }) => {
      const policy = headerOf(await api.call('getPet'), 'ratelimit-policy');
      const rejected = await api.call('getPet', { authorization: null });
      return `${policy}; ${headerOf(rejected, 'www-authenticate')}`;
    },
  ),
  row(unknownPath, 'a cancellation whose path ends with /', 'order_not_found', async ({ api }) =>
    shown(await api.call('cancelOrder', { orderId: '-1/' })),
  ),
  row(unknownPath, '/ping on a custom domain', '404', async () => {
    const domain = stageNames.map((name) => stageSettings(name).domain).find(Boolean);
    if (!domain) throw new CheckSkipped('no stage in lib/settings/stages.ts has a domain');
    return (await fetch(`https://${domain.name}/ping`)).status;
  }),
];

/** The question about changes of the TLS policy, which can take API Gateway a quarter of an hour. */
export const tlsRow = row(
  'docs/first-deploy.md: while nothing else changes API Gateway',
  'a change of the REST API while its TLS policy changes',
  'UPDATING: accepted',
  async (trial) => {
    const { RestApiId: restApiId } = trial.outputs;
    const change = (path: string, value: string) =>
      gateway.updateRestApi({ restApiId, patchOperations: [{ op: 'replace', path, value }] });
    const status = async () => `${(await gateway.getRestApi({ restApiId })).apiStatus}`;
    await change('/securityPolicy', 'SecurityPolicy_TLS13_1_3_2025_09');
    const during = await status();
    const outcome = await change('/description', '').then(() => 'accepted', reasonOf);
    // Until then, API Gateway may refuse to delete the REST API.
    await lookUntil('AVAILABLE', trial, status);
    return `${during}: ${outcome}`;
  },
);

/** The gateway key of the trial's owner. */
export async function gatewayKey({ stack, ownerId }: Trial): Promise<ApiKey> {
  const nameQuery = `${stack}-${gatewayKeyValue(ownerId, 'pro')}`;
  const { items: [key] = [] } = await gateway.getApiKeys({ nameQuery, includeValues: true });
  if (!key) throw new Error(`there is no gateway key ${nameQuery}`);
  return key;
}

/** The status of AWS's response, even if AWS refuses the call. */
export async function statusOf(call: Promise<{ $metadata: { httpStatusCode?: number } }>) {
  const { $metadata } = await call.catch((error) => error);
  return $metadata?.httpStatusCode;
}
