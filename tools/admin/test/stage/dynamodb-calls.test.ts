import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { readItems } from '../../stage/dynamodb-calls.ts';

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
