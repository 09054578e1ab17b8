import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { ordersTable } from '../../../admin/orders/orders-table.ts';
import { shipOrder } from '../../../admin/orders/ship-order.ts';

const table = ordersTable(new DynamoDBClient({ region: 'us-east-1' }), 'Orders');

describe('shipOrder', () => {
  it.each([
    ['by this very request, whose first answer was lost', true],
    ['by another request', false],
  ])('finds an order that has shipped %s', async (_by, isOwn) => {
    const mock = mockClient(DynamoDBDocumentClient);
    const order = { id: 7, status: 'shipped', shippedAt: '2026-11-20T09:30:00.000Z' };
    mock.on(UpdateCommand).callsFake(({ ExpressionAttributeValues: values }) => {
      const shipRequestId = isOwn ? values[':requestId'] : 'another';
      mock.on(GetCommand).resolves({ Item: { ...order, shipRequestId } });
      throw new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
    });

    const shipping = shipOrder('7', table, Date.now);

    if (isOwn) await expect(shipping).resolves.toMatchObject(order);
    else
      await expect(shipping).rejects.toThrow(`Order 7 is shipped since ${order.shippedAt}: only`);
    mock.restore();
  });
});
