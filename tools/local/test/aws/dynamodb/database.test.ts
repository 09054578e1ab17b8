import { chmodSync, statSync } from 'node:fs';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../../test/helpers/temporary-directory.ts';
import { openDatabase } from '../../../aws/dynamodb/database.ts';

/* start.command.test.ts tests that only one run can use a data directory. */

const directory = temporaryDirectoryOfEachTest();

it('only this user can read a data directory, also one that existed, and a damaged file in it is reported', async () => {
  chmodSync(directory.path, 0o755);
  directory.write('dynamodb.sqlite', 'no database '.repeat(100));

  await expect(openDatabase({ dataDirectory: directory.path })).rejects.toThrow(
    /^the embedded DynamoDB with the data in \/.*\/dynamodb\.sqlite fails \(dynoxide ended \(1: [^\n]+SQLite[^\n]+\)\): [^\n]*restore a copy of the file/,
  );

  expect(statSync(directory.path).mode & 0o777).toBe(0o700);
});

it('a data directory that cannot be used is reported with the reason and the remedy', async () => {
  const file = directory.write('file', '');

  await expect(openDatabase({ dataDirectory: `${file}/data` })).rejects.toThrow(
    /^the directory .* cannot be used \(ENOTDIR.*\): name another directory$/,
  );
});

it('the embedded DynamoDB listens on Linux at an address that no web page can guess', async () => {
  const { endpoint, close } = await openDatabase({});

  await close();

  const isGuessable = new URL(endpoint).hostname === '127.0.0.1';
  expect(isGuessable).toBe(process.platform !== 'linux');
});

it('a DynamoDB that does not answer is named', async () => {
  const database = await openDatabase({ dynamodbEndpoint: 'http://127.0.0.1:9' });

  const failure = await database.client.send(new ListTablesCommand()).catch(database.explain);

  expect(failure).toMatchObject({
    name: 'OperatorError',
    message: expect.stringMatching(
      /^DYNAMODB_ENDPOINT: http:\/\/127.0.0.1:9 fails \(.*ECONNREFUSED.*\): check/,
    ),
  });
});
