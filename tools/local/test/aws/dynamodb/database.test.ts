import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { openDatabase } from '../../../aws/dynamodb/database.ts';

it('a DynamoDB that does not answer is named without its password', async () => {
  const database = await openDatabase({ dynamodbEndpoint: 'http://user:secret@127.0.0.1:9' });

  const failure = await database.client.send(new ListTablesCommand()).catch(database.explain);

  expect(failure).toMatchObject({
    name: 'OperatorError',
    message: expect.stringMatching(
      /^DYNAMODB_ENDPOINT: http:\/\/127.0.0.1:9 fails \(.*ECONNREFUSED.*\): check/,
    ),
  });
});
