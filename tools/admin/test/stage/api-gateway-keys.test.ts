import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { expect, it } from '@jest/globals';
import { apiGatewayKeys } from '../../stage/api-gateway-keys.ts';

it.each(['deleteApiKey', 'createUsagePlanKey'] as const)(
  'API Gateway is not said to have done what it refuses: %s',
  async (call) => {
    const client = new APIGatewayClient({ region: 'us-east-1' });
    client.send = () => Promise.reject(new Error('Rate exceeded'));
    const key = { apiKey: 'one', keyId: 'one', usagePlanId: 'plan-free' };

    await expect(apiGatewayKeys(client)[call](key)).rejects.toThrow('Rate exceeded');
  },
);
