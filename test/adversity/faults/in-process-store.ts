import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { hashToken } from '../../../lambdas/shared/api-key.ts';
import { plans } from '../../../lib/settings/plans.ts';
import { ControlPlane } from '../../../local/control-plane/control-plane.ts';
import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { createTables, readTables } from '../../../local/dynamodb/tables.ts';
import type { GatewayAnswer } from '../../../local/exchange/gateway-answer.ts';
import { readFunctions } from '../../../local/functions/lambda-functions.ts';
import { Gateway } from '../../../local/gateway/gateway.ts';
import { readUsagePlans, UsageMeter } from '../../../local/gateway/usage-plan.ts';
import { readTemplate, type Template } from '../../../local/template/template.ts';
import { nextMinute, today } from '../../e2e/running-store.ts';
import { exampleToken, ownerId, ownerItem } from '../../helpers/dynamodb/key-items.ts';
import { assetsManifestFile, templateFile } from '../../helpers/synthesized.ts';
import { FaultyDynamodb } from './faulty-dynamodb.ts';
import { answerTimeoutMs, timeoutsMs } from './function-timeouts.ts';
import { timeoutDivisor } from './quick-dynamodb.ts';
import { type buildQuickFunctions, QuickFunction } from './quick-functions.ts';
import type { StoreAnswer, StoreRequest, StoreUnderFaults } from './store-under-faults.ts';

type Code = Awaited<ReturnType<typeof buildQuickFunctions>>;

let stores = 0;

/**
 * Starts the gateway and the functions in this thread, with their own tables. A request passes the same
 * steps as over HTTP in a tenth of the time.
 *
 * @param endpoint the endpoint of a DynamoDB-compatible server
 */
export async function startInProcessStore(endpoint: string, code: Code): Promise<StoreUnderFaults> {
  const dynamodb = await FaultyDynamodb.before(endpoint, answerTimeoutMs / timeoutDivisor);
  const data = localDynamoDbClient(endpoint);
  const stackName = `StoreOrders-${++stores}`;
  const environment = { region: 'us-east-1', accountId: '000000000000', stackName };
  const template = readTemplate(templateFile('staging'), environment);
  const tables = readTables(template);
  await createTables(tables, data);
  const nameOf = (part: string) => tables.find(({ logicalId }) => logicalId.includes(part))!.name;
  const gateway = createGateway(template, dynamodb.url, code);
  return {
    dynamodb,
    data,
    ordersTable: nameOf('Orders'),
    timeoutsMs: {
      GET: timeoutsMs.GET / timeoutDivisor,
      DELETE: timeoutsMs.DELETE / timeoutDivisor,
    },
    issueKey: (perMinute) => issueKey(perMinute, data, nameOf('ApiKeys')),
    send: (request) => send(request, gateway),
    async [Symbol.asyncDispose]() {
      await dynamodb[Symbol.asyncDispose]();
      data.destroy();
    },
  };
}

function createGateway(template: Template, endpoint: string, code: Code): Gateway {
  const usagePlans = readUsagePlans(template);
  const keys = new ControlPlane({ usagePlans, now: Date.now });
  const { id: keyId } = keys.createApiKey({ value: ownerId, enabled: true });
  const usagePlanId = template.outputs().UsagePlanIdEnterprise!;
  keys.createUsagePlanKey({ usagePlanId, keyId });
  const functions = readFunctions(template, assetsManifestFile('staging'));
  const variables = {
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  };
  const loaded = new Map(
    functions.all.map((each) => [each.name, new QuickFunction(each, code, variables)]),
  );
  return new Gateway(template, {
    functions,
    usage: new UsageMeter(usagePlans, keys, Date.now),
    invoke: (lambda, invocation) => loaded.get(lambda.name)!.invoke(invocation),
    now: Date.now,
    logFault: () => {},
  });
}

let issuedKeys = 0;

async function issueKey(
  perMinute: number,
  data: DynamoDBClient,
  TableName: string,
): Promise<string> {
  const token = exampleToken('so_test_', String(++issuedKeys).padStart(20, '0'));
  const windows = { minuteWindow: nextMinute(), dayWindow: today() };
  const limits = { plan: 'enterprise', perMinute, perDay: plans.enterprise.perDay };
  const Item = ownerItem({ ...limits, ...windows }, { [hashToken(token)]: {} });
  await data.send(new PutItemCommand({ TableName, Item }));
  return token;
}

async function send(
  { method, path, headers }: StoreRequest,
  gateway: Gateway,
): Promise<StoreAnswer> {
  const answer = await gateway.answer({
    method,
    target: `/${gateway.stage.name}/v1${path}`,
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.alloc(0),
    sourceIp: '127.0.0.1',
    httpVersion: '1.1',
    timeMs: Date.now(),
  });
  return { status: answer.statusCode, headers: headersOf(answer), ...(await bodyOf(answer)) };
}

function headersOf({ headers }: GatewayAnswer): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of headers) {
    byName.set(name.toLowerCase(), [...(byName.get(name.toLowerCase()) ?? []), value]);
  }
  return byName;
}

async function bodyOf({ body }: GatewayAnswer): Promise<Pick<StoreAnswer, 'body' | 'isComplete'>> {
  if (Buffer.isBuffer(body)) return { body, isComplete: true };
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
    return { body: Buffer.concat(chunks), isComplete: true };
  } catch {
    return { body: Buffer.concat(chunks), isComplete: false };
  }
}
