import { DynamoDBDocumentClient, NumberValue, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { exampleOrderId } from '../../demo/example-order.ts';

const order = (id: string, status: string) => ({ id: NumberValue.from(id), status });

function exampleOf(orders: readonly ReturnType<typeof order>[]): Promise<string | undefined> {
  const dynamodb = mockClient(DynamoDBDocumentClient);
  dynamodb.on(ScanCommand, { TableName: 'Orders' }).resolves({ Items: [...orders] });
  return exampleOrderId({
    dynamodb: dynamodb as unknown as DynamoDBDocumentClient,
    tableName: 'Orders',
  });
}

describe('the order that the reference shows as an example', () => {
  it('is a pending one, with every digit of its id', async () => {
    const orders = [order('1', 'shipped'), order('9007199254740993', 'pending')];

    expect(await exampleOf(orders)).toBe('9007199254740993');
  });

  it('is any where none is pending, because that one is found at least', async () => {
    expect(await exampleOf([order('1', 'shipped')])).toBe('1');
  });

  it('is none in an empty store', async () => {
    expect(await exampleOf([])).toBeUndefined();
  });
});
