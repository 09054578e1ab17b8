import { APIGateway } from '@aws-sdk/client-api-gateway';
import { Lambda } from '@aws-sdk/client-lambda';
import { operations, versionPath } from '../../../lib/settings/functions.ts';
import { contractDifferences } from '../../../test/contract/contract.ts';
import { keyGateway } from '../../admin/stage/key-gateway.ts';
import type { Answer } from '../stage/http-client.ts';
import { headerOf } from '../stage/rate-limit.ts';
import { shown } from '../stage/stage.ts';
import { failureText, lookUntil } from './evidence.ts';
import { renewEnvironments } from './orders.ts';
import { addOwner, admin, createStack, type Deployed, issueKey, run } from './trial.ts';

const gateway = new APIGateway();
const lambda = new Lambda();

const documented = 'as documented';
type DeployedApi = Record<'restApiId' | 'stageName', string>;

/** Compares answers with the contract: the answers of the smoke test, and answers that need another key. */
export async function checkContract(trial: Deployed): Promise<void> {
  const { evidence, outputs } = trial;
  const { stage, keyId } = await addOwner(trial, 'smoke test', '--plan', 'pro');
  await evidence.add('npm run smoke -- --limits', ', 0 failed', async () => {
    const words = ['tools/smoke/main.ts', '--url', outputs.BaseUrl, '--limits'];
    return (await run(trial, words, [stage.key]).catch(failureText)).split('\n').at(-1)!;
  });
  // Checked here, because AWS does not say whether a REST API passes on the header.
  await evidence.add('a list from the second byte on', 'range_not_supported', async () => {
    return shown(await stage.call('listOrders', { headers: { range: 'bytes=1-' } }));
  });
  // Checked here, because the contract names the challenge, but does not require it in every 403.
  const challenged = `${documented}, with the challenge Bearer`;
  await evidence.add('a cancellation with a read-only key', challenged, async () => {
    const { stage: readOnly } = await issueKey(trial, 'smoke test', '--read-only');
    const answer = await readOnly.call('cancelOrder', { orderId: '-1' });
    const challenge = headerOf(answer, 'x-amzn-remapped-www-authenticate');
    return `${compared('cancelOrder', answer)}, with the challenge ${challenge}`;
  });
  await evidence.add('the next request with a revoked key', '401', async () => {
    await admin(trial, ['keys', 'revoke', keyId, '--yes']);
    return `${(await stage.call('getPet')).status}`;
  });
}

/** Provokes responses of API Gateway that the smoke test cannot provoke. */
export async function checkGatewayResponses(trial: Deployed): Promise<void> {
  const { stack, signal, evidence, outputs } = trial;
  const api = { restApiId: outputs.RestApiId, stageName: trial.stage };
  const { stage, ownerId } = await addOwner(trial, 'refused', '--plan', 'free');
  const { findGatewayKeys, deleteGatewayKey } = keyGateway(gateway);
  const keyId = (await findGatewayKeys(`${stack}-${ownerId}`))[0]!.id;
  const usagePlanId = outputs.UsagePlanIdFree;
  const provoke = (type: string, ask: () => Promise<Answer>, change?: () => Promise<unknown>) =>
    evidence.add(`gateway response ${type}`, documented, async () => {
      const look = async () => compared(type, await ask());
      await change?.();
      return change ? lookUntil(documented, look, signal) : look();
    });
  const getPet = () => stage.call('getPet');
  const listOrders = () => stage.call('listOrders');
  const cancelCold = async () => {
    await renewEnvironments(outputs);
    return stage.call('cancelOrder', { orderId: '1' });
  };
  const stop = (FunctionName: string) => () =>
    lambda.putFunctionConcurrency({ FunctionName, ReservedConcurrentExecutions: 0 });
  const html = { 'content-type': 'text/html' };
  // API Gateway accepts 10 MB: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
  const body = 'x'.repeat(11 * 1024 * 1024);
  // No change has to be undone: API Gateway gives each answer before it reaches the places of the earlier changes.
  await provoke('UNSUPPORTED_MEDIA_TYPE', () => stage.call('getPet', { headers: html }));
  await provoke('REQUEST_TOO_LARGE', () => stage.call('cancelOrder', { orderId: '1', body }));
  await provoke('INTEGRATION_TIMEOUT', cancelCold, () => shortenTimeout(api));
  await provoke('INTEGRATION_FAILURE', listOrders, stop(outputs.ListOrdersFunctionName));
  await provoke('THROTTLED', listOrders, () =>
    gateway.updateStage({ ...api, ...patch('/~1v1~1store~1orders/GET/throttling/burstLimit', 0) }),
  );
  await provoke('QUOTA_EXCEEDED', getPet, () =>
    gateway.updateUsage({ usagePlanId, keyId, ...patch('/remaining', 0) }),
  );
  await provoke('INVALID_API_KEY', getPet, () => deleteGatewayKey(keyId));
  await provoke('AUTHORIZER_FAILURE', getPet, stop(outputs.AuthorizerFunctionName));
  await provoke('WAF_FILTERED', getPet, () => createStack(trial, '-firewall', blocking(api)));
}

/**
 * Sets API Gateway's timeout for cancellations to its minimum, which is shorter than the start of a function.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
async function shortenTimeout({ restApiId, stageName }: DeployedApi): Promise<void> {
  const { method: httpMethod, path } = operations.cancelOrder;
  const { items = [] } = await gateway.getResources({ restApiId, limit: 500 });
  const resourceId = items.find((resource) => resource.path === `${versionPath}${path}`)?.id;
  const timeout = patch('/timeoutInMillis', 50);
  await gateway.updateIntegration({ restApiId, resourceId, httpMethod, ...timeout });
  await gateway.createDeployment({ restApiId, stageName });
}

/** Blocks every request. The web ACL has no response of its own, so API Gateway answers. */
function blocking({ restApiId, stageName }: DeployedApi): object {
  const stage = `restapis/${restApiId}/stages/${stageName}`;
  const ResourceArn = { 'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/${stage}` };
  const WebACLArn = { 'Fn::GetAtt': ['WebAcl', 'Arn'] };
  const visibility = { CloudWatchMetricsEnabled: false, SampledRequestsEnabled: false };
  const Properties = {
    Scope: 'REGIONAL',
    DefaultAction: { Block: {} },
    VisibilityConfig: { MetricName: 'Acceptance', ...visibility },
  };
  return {
    WebAcl: { Type: 'AWS::WAFv2::WebACL', Properties },
    Association: { Type: 'AWS::WAFv2::WebACLAssociation', Properties: { WebACLArn, ResourceArn } },
  };
}

function patch(path: string, value: number) {
  return { patchOperations: [{ op: 'replace', path, value: `${value}` } as const] };
}

/** Compares an answer with the contract. @param name the id of an operation, or the type of a gateway response */
function compared(name: string, answer: Answer): string {
  return `${shown(answer)}; ${contractDifferences(name, answer).join('; ') || documented}`;
}
