import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeysCommand,
  GetUsageCommand,
  GetUsagePlansCommand,
} from '@aws-sdk/client-api-gateway';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../../../aws/local-service.ts';
import {
  type Assembly,
  addKey,
  api,
  method,
  mock,
  type Resources,
  writeAssembly,
} from '../small-template.ts';

const resources: Resources = {
  ...api,
  ...method('POST /apikeys', mock()),
  Plan: {
    Type: 'AWS::ApiGateway::UsagePlan',
    Properties: { ApiStages: [{ ApiId: { Ref: 'Api' }, Stage: { Ref: 'Stage' } }] },
  },
};

const path = '/test?a=1&b=<2>';
const outputs = {
  Url: {
    Value: {
      'Fn::Join': [
        '',
        ['https://', { Ref: 'Api' }, '.execute-api.us-east-1.', { Ref: 'AWS::URLSuffix' }, path],
      ],
    },
  },
  Name: { Value: { Ref: 'AWS::StackName' } },
};

let assembly: Assembly;
let service: LocalService;
let settings: object;
let gateway: APIGatewayClient;
let usagePlanId: string;
let nowMs = Date.UTC(2026, 10, 19);

beforeAll(async () => {
  assembly = writeAssembly(resources, {}, outputs);
  const now = () => nowMs;
  service = await startLocalService({ ...assembly, stackName: 'Small', log: () => {}, now });
  settings = {
    endpoint: service.origin,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  };
  gateway = new APIGatewayClient(settings);
  usagePlanId = service.controlPlane.getUsagePlans()[0]!;
});

afterAll(async () => {
  gateway.destroy();
  await service.close();
  assembly.remove();
});

const signed = { authorization: 'AWS4-HMAC-SHA256 x' };
const listTables = { ...signed, 'x-amz-target': 'DynamoDB_20120810.ListTables' };

/** `fetch` does not let a test set the `Host` header. */
async function send(
  path: string,
  { body, ...init }: { method: string; body?: string },
  headers: object,
) {
  const call = request(service.origin, { path, ...init, headers: { ...headers } });
  call.end(body);
  const [response] = await once(call, 'response');
  return { status: response.statusCode, body: await text(response) };
}

const createKey = () => {
  const name = randomUUID();
  return gateway.send(new CreateApiKeyCommand({ name, value: `value of ${name}`, enabled: true }));
};

describe('the operator of a local run, with AWS clients', () => {
  it('creates, finds and deletes API keys', async () => {
    const { id, name } = await createKey();

    const { items } = await gateway.send(new GetApiKeysCommand({ nameQuery: name }));
    expect(items).toEqual([expect.objectContaining({ id, name, enabled: true })]);
    expect(items![0]).not.toHaveProperty('value');

    await gateway.send(new DeleteApiKeyCommand({ apiKey: id }));
    const again = gateway.send(new DeleteApiKeyCommand({ apiKey: id }));
    await expect(again).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  it('puts keys into usage plans and takes them out', async () => {
    const { id: keyId } = await createKey();
    const member = { usagePlanId, keyId };

    await gateway.send(new CreateUsagePlanKeyCommand({ ...member, keyType: 'API_KEY' }));
    const plans = await gateway.send(new GetUsagePlansCommand({ keyId }));
    const again = gateway.send(new CreateUsagePlanKeyCommand({ ...member, keyType: 'API_KEY' }));

    expect(plans.items).toEqual([{ id: usagePlanId }]);
    await expect(again).rejects.toMatchObject({ name: 'ConflictException' });

    await gateway.send(new DeleteUsagePlanKeyCommand(member));
    expect((await gateway.send(new GetUsagePlansCommand({ keyId }))).items).toEqual([]);
    const gone = gateway.send(new DeleteUsagePlanKeyCommand(member));
    await expect(gone).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  it('reads the usage of keys by day', async () => {
    const { controlPlane } = service;
    const use = (value: string, requests: number, day: string) => {
      nowMs = Date.parse(day);
      for (let request = 0; request < requests; request++) controlPlane.meter(value);
    };
    for (const value of ['one', 'other']) addKey(controlPlane, value);
    const [keyId, other] = ['one', 'other'].map((value) => controlPlane.findKey(value)!.id);
    use('one', 3, '2026-11-20');
    use('other', 5, '2026-11-21');
    use('other', 7, '2026-11-22');
    const getUsage = (startDate: string) =>
      gateway.send(new GetUsageCommand({ usagePlanId, startDate, endDate: '2026-11-21' }));

    const { items } = await getUsage('2026-11-20');

    expect(items).toEqual({
      [keyId!]: [[3], [0]],
      [other!]: [[0], [5]],
    });
    expect((await getUsage('2026-08-24')).items![keyId!]).toHaveLength(90);
  });

  it('finds the stack and its outputs', async () => {
    const client = new CloudFormationClient(settings);

    const { Stacks } = await client.send(new DescribeStacksCommand({}));

    expect(Stacks).toHaveLength(1);
    expect(Stacks?.[0]).toMatchObject({
      StackName: 'Small',
      StackStatus: 'CREATE_COMPLETE',
      CreationTime: expect.any(Date),
      Outputs: [
        { OutputKey: 'Url', OutputValue: `${service.origin}/test?a=1&b=<2>` },
        { OutputKey: 'Name', OutputValue: 'Small' },
      ],
    });
    client.destroy();
  });

  it.each([
    [
      'for a call of DynamoDB under a host name that is not this machine',
      '/',
      { method: 'POST', headers: { ...listTables, host: 'evil.example' }, body: '{}' },
    ],
    ['for a call of DynamoDB that is no POST', '/', { method: 'GET', headers: listTables }],
    ['for an unknown operation', '/apikeys', { method: 'PUT', headers: signed }],
    ['for an unknown action', '/', { method: 'POST', headers: signed, body: 'Action=DeleteStack' }],
  ])('gets the response of an unknown path %s', async (_, path, { headers, ...init }) => {
    const answer = await send(path, init, headers);

    expect(answer.status).toBe(403);
    expect(answer.body).toBe('{"message":"Missing Authentication Token"}');
  });
});
