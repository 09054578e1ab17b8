import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../../../../test/helpers/temporary-directory.ts';
import { startEmbeddedDynamoDB } from '../../../aws/dynamodb/embedded-dynamodb.ts';

describe('embedded DynamoDB', () => {
  it('reports a damaged database file with its path and the remedy', async () => {
    const directory = temporaryDirectory();
    const databaseFile = directory.write('data.sqlite', 'no database '.repeat(100));

    const failure = await startEmbeddedDynamoDB(databaseFile).catch((error) => error);

    directory.remove();
    expect(failure).toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(
        /^the embedded DynamoDB with the data in \/.*\/data\.sqlite fails \(dynoxide ended \(1: [^\n]+SQLite[^\n]+\)\): [^\n]*restore a copy of the file/,
      ),
    });
  });

  it('listens on Linux at an address that no web page can guess', async () => {
    const { endpoint, close } = await startEmbeddedDynamoDB();

    await close();

    const isGuessable = new URL(endpoint).hostname === '127.0.0.1';
    expect(isGuessable).toBe(process.platform !== 'linux');
  });
});
