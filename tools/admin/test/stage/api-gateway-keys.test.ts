import { APIGatewayClient, ConflictException } from '@aws-sdk/client-api-gateway';
import { expect, it, jest } from '@jest/globals';
import { apiGatewayKeys } from '../../stage/api-gateway-keys.ts';

const busy = new ConflictException({
  message: 'Unable to complete operation due to concurrent modification. Please try again later.',
  $metadata: {},
});

/** Creates a gateway key while API Gateway is busy with other changes for a number of calls. */
async function createWhileBusy(calls: number) {
  const client = new APIGatewayClient({ region: 'us-east-1' });
  const send = jest.spyOn(client, 'send').mockImplementation(async () => {
    if (send.mock.calls.length <= calls) throw busy;
    return { id: 'new' } as never;
  });
  const key = { name: 'n', value: 'v', enabled: true as const, tags: {} };
  const pauses: number[] = [];
  const created = await apiGatewayKeys(client, async (ms) => pauses.push(ms))
    .createApiKey(key)
    .catch((error: Error) => error.message);
  expect(pauses.every((ms) => ms >= 1_000)).toBe(true);
  return { created, calls: send.mock.calls.length, pauses: pauses.length };
}

it('a change that API Gateway refuses because of another change is made after a wait', async () => {
  expect(await createWhileBusy(3)).toEqual({ created: { id: 'new' }, calls: 4, pauses: 3 });
});

it('a change that API Gateway keeps refusing ends with a message that says so', async () => {
  expect(await createWhileBusy(99)).toEqual({
    created: 'API Gateway kept refusing a change because of other changes; run the command again',
    calls: 8,
    pauses: 7,
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
