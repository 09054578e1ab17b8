import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, jest } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { changeTogether, readItems } from '../../stage/dynamodb-calls.ts';

describe('a transaction', () => {
  /** Cancels transactions for these reasons, and carries out the next. */
  const cancelledBy = (...reasons: string[]) => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const send = jest.fn(async () => {
      const Code = reasons.shift();
      if (Code === undefined) return {};
      const CancellationReasons = [{ Code: 'None' }, { Code }];
      throw new TransactionCanceledException({ message: Code, CancellationReasons, $metadata: {} });
    });
    return { send, stage: { documents: { send } as never } };
  };

  it('is repeated while others write the same items', async () => {
    const { send, stage } = cancelledBy('TransactionConflict', 'TransactionConflict');

    expect(await changeTogether([], stage)).toBe(true);
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('is not repeated without end, or for another reason', async () => {
    const busy = cancelledBy(...Array(99).fill('TransactionConflict'));
    const throttled = cancelledBy('ThrottlingError');
    const refused = cancelledBy('ConditionalCheckFailed');

    await expect(changeTogether([], busy.stage)).rejects.toThrow('TransactionConflict');
    await expect(changeTogether([], throttled.stage)).rejects.toThrow('ThrottlingError');
    expect(await changeTogether([], refused.stage)).toBe(false);
    expect([busy, throttled, refused].map(({ send }) => send.mock.calls.length)).toEqual([8, 1, 1]);
  });
});

it('a table is read page after page, also after an empty page', async () => {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1' }));
  const pages: Record<string, object> = {
    first: { Items: [{ id: 1 }], Count: 1, LastEvaluatedKey: { id: 'second' } },
    second: { Items: [], Count: 0, LastEvaluatedKey: { id: 'third' } },
    third: { Items: [{ id: 2 }], Count: 1 },
  };
  const scans = mockClient(documents).on(ScanCommand);
  scans.callsFake(({ ExclusiveStartKey }) => pages[ExclusiveStartKey?.id ?? 'first']);

  expect(await readItems('T', { documents })).toEqual([{ id: 1 }, { id: 2 }]);
});
