import { expect, it } from '@jest/globals';
import { startStore } from './running-store.ts';

it('a function whose role lacks an action fails and logs the action, and the other functions work', async () => {
  await using store = await startStore(Date.now, (template) =>
    template.replaceAll('"dynamodb:Scan"', '"dynamodb:DescribeTable"'),
  );
  await store.putOrders([{ id: '1', status: 'pending' }]);
  const { apiKey } = await store.issue();
  const send = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    return (await fetch(`${store.baseUrl}${path}`, { method, headers })).status;
  };

  const statuses = [await send('GET', '/store/orders'), await send('DELETE', '/store/orders/1')];

  expect(statuses).toEqual([500, 204]);
  const denial = /^iam: User: \S+ListOrders\S+ is not authorized to perform: dynamodb:Scan on /;
  expect(store.lines).toContainEqual(expect.stringMatching(denial));
});
