import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { putGatewayKey } from '../../owners/gateway-key.ts';
import { apiGatewayKeys, type KeyGateway } from '../../stage/api-gateway-keys.ts';
import type { KeyStage } from '../../stage/key-stage.ts';
import { type FakeGateway, fakeGateway } from '../fake-gateway.ts';

const ownerId = `own_${'a'.repeat(20)}`;
const usagePlanIds = { free: 'plan-free' };
const conflict = Object.assign(new Error('API Key already exists'), { name: 'ConflictException' });

let gateway: FakeGateway;

beforeEach(() => {
  gateway = fakeGateway();
});

const put = (overrides: Partial<KeyGateway> = {}) =>
  putGatewayKey(ownerId, 'free', {
    gateway: { ...gateway, ...overrides },
    stackName: 'StoreOrders-prod',
    usagePlanIds,
  } as unknown as KeyStage);

describe('putGatewayKey', () => {
  it('uses a key that exists although its creation failed with a conflict', async () => {
    const createApiKey: KeyGateway['createApiKey'] = async (key) => {
      await gateway.createApiKey(key);
      throw conflict;
    };

    await put({ createApiKey });

    expect([...gateway.keys.values()].map(({ usagePlanIds }) => [...usagePlanIds])).toEqual([
      ['plan-free'],
    ]);
  });

  it('says what to do about a key with this value and another name', async () => {
    await gateway.createApiKey({ name: 'somebody', value: ownerId, enabled: true, tags: {} });

    await expect(put()).rejects.toThrow(
      `API Gateway has a key with the value ${ownerId} whose name is not StoreOrders-prod-${ownerId}; ` +
        'rename or delete it',
    );
  });
});

it.each(['deleteApiKey', 'createUsagePlanKey', 'deleteUsagePlanKey'] as const)(
  'API Gateway is not said to have done what it refuses: %s',
  async (call) => {
    const client = new APIGatewayClient({ region: 'us-east-1' });
    client.send = () => Promise.reject(new Error('Rate exceeded'));
    const key = { apiKey: 'one', keyId: 'one', usagePlanId: 'plan-free' };

    await expect(apiGatewayKeys(client)[call](key)).rejects.toThrow('Rate exceeded');
  },
);
