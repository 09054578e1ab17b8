import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { expect, it } from '@jest/globals';
import { type KeyGateway, keyGateway } from '../../stage/key-gateway.ts';

it.each<[string, (gateway: KeyGateway) => Promise<unknown>]>([
  ['the deletion of a key', (gateway) => gateway.deleteGatewayKey('one')],
  ['a key in a usage plan', (gateway) => gateway.addToUsagePlan('plan-free', 'one')],
])('a change that API Gateway refuses is not reported as done: %s', async (_, change) => {
  const client = new APIGatewayClient({ region: 'us-east-1' });
  client.send = () => Promise.reject(new Error('Rate exceeded'));

  await expect(change(keyGateway(client))).rejects.toThrow('Rate exceeded');
});
