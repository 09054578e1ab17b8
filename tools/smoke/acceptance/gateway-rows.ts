import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKey } from '@aws-sdk/client-api-gateway';
import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { reasonOf } from '../../shared/errors.ts';
import { CheckSkipped, row } from '../runner.ts';
import { senderTo } from '../stage/http-client.ts';
import { preflight } from '../stage/preflight.ts';
import { headerOf } from '../stage/rate-limit.ts';
import { shown } from '../stage/stage.ts';
import { admin, type Deployed, gateway, type Row, secondsSince } from './trial.ts';

/** The questions about API Gateway's keys. The first row waits until the key of a new owner works. */
export const gatewayKeyRows: readonly Row[] = [
  row(
    'docs/runbook.md: 503, `INVALID_API_KEY`',
    'the time until a new gateway key works',
    'within 10 s',
    async (trial) => {
      const createdMs = (await gatewayKey(trial)).createdDate!.getTime();
      const firstMs = Date.now() - createdMs;
      await preflight(trial.api, trial.outputs.BaseUrl, console.error, sleep);
      const first = Math.round(firstMs / 1_000);
      return `${secondsSince(createdMs, 10)}, with the first request after ${first} s`;
    },
  ),
  row(
    'docs/operating.md: API Gateway key',
    'the separator in the value of a gateway key',
    '_pro',
    async (trial) => (await gatewayKey(trial)).value,
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

const unknownPath = 'docs/clients.md: no such path';

/** The questions about requests. The first row gives the key its requests back, which the smoke test has used up. */
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
      const refused = await api.call('getPet', { authorization: null });
      return `${policy}; ${headerOf(refused, 'www-authenticate')}`;
    },
  ),
  row(unknownPath, 'a cancellation whose path ends with /', 'order_not_found', async ({ api }) =>
    shown(await api.call('cancelOrder', { orderId: '-1/' })),
  ),
  row(unknownPath, '/ping on a custom domain', '404', async () => {
    const domain = stageNames.map((name) => stageSettings(name).domain).find(Boolean);
    if (!domain) throw new CheckSkipped('no stage in lib/settings/stages.ts has a domain');
    const send = senderTo(new URL(`https://${domain.name}/ping`), 30_000);
    return `${domain.name}: ${shown(await send({ method: 'GET', path: '' }))}`;
  }),
];

/** The question about changes of the TLS policy. After it, the REST API may be busy for a quarter of an hour. */
export const tlsRow = row<Deployed>(
  'docs/first-deploy.md: while nothing else changes API Gateway',
  'a change of the REST API while its TLS policy changes',
  'UPDATING: accepted',
  async ({ outputs: { RestApiId: restApiId } }) => {
    const change = (path: string, value: string) =>
      gateway.updateRestApi({ restApiId, patchOperations: [{ op: 'replace', path, value }] });
    await change('/securityPolicy', 'SecurityPolicy_TLS13_1_3_2025_09');
    const { apiStatus } = await gateway.getRestApi({ restApiId });
    return `${apiStatus}: ${await change('/description', '').then(() => 'accepted', reasonOf)}`;
  },
);

/** The gateway key of the trial's owner. */
export async function gatewayKey({ stack, ownerId }: Deployed): Promise<ApiKey> {
  const nameQuery = `${stack}-${gatewayKeyValue(ownerId, 'pro')}`;
  const { items: [key] = [] } = await gateway.getApiKeys({ nameQuery, includeValues: true });
  if (!key) throw new Error(`there is no gateway key ${nameQuery}`);
  return key;
}

/** The status of AWS's response, also if AWS refuses the call. @throws the error if there is no response */
export async function statusOf(call: Promise<{ $metadata: { httpStatusCode?: number } }>) {
  const { $metadata } = await call.catch((error) => {
    if (error.$metadata?.httpStatusCode) return error;
    throw error;
  });
  return $metadata.httpStatusCode;
}
