import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { expect, it } from '@jest/globals';
import { stackName } from '../../../../lib/settings/names.ts';
import { ControlPlane } from '../../../local/aws/management/control-plane.ts';
import { keyGateway } from '../../../local/aws/management/key-gateway.ts';
import { putGatewayKey } from '../../owners/gateway-key.ts';
import { apiGatewayKeys } from '../../stage/api-gateway-keys.ts';
import type { KeyStage } from '../../stage/key-stage.ts';

const ownerId = `own_${'a'.repeat(20)}`;
const usagePlanIds = { free: 'plan-free' };

it('putGatewayKey says what to do about a key with this value and another name', async () => {
  const gateway = keyGateway(new ControlPlane([]));
  await gateway.createApiKey({ name: 'somebody', value: ownerId, enabled: true });
  const stage = { gateway, stackName: stackName('prod'), usagePlanIds };

  await expect(putGatewayKey(ownerId, 'free', stage as unknown as KeyStage)).rejects.toThrow(
    `API Gateway has a key with the value ${ownerId} whose name is not ${stackName('prod')}-${ownerId}; ` +
      'rename or delete this key',
  );
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
