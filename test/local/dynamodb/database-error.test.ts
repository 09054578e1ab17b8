import { describe, expect, it } from '@jest/globals';
import { databaseError } from '../../../local/dynamodb/database-error.ts';
import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { createTables } from '../../../local/dynamodb/tables.ts';
import { LocalRunError } from '../../../local/template/local-run-error.ts';
import { serve } from '../../helpers/loopback-server.ts';

describe('a database that fails', () => {
  it('is told in one line, with its place and what to do', async () => {
    await using server = await serve((incoming, outgoing) => {
      incoming.resume();
      const error = {
        __type: 'com.amazonaws#ValidationException',
        message: ' disk I/O\n  error\n',
      };
      outgoing.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      outgoing.end(JSON.stringify(error));
    });
    const client = localDynamoDbClient(server.url);
    const table = { logicalId: 'Orders', name: 'orders', input: { TableName: 'orders' } };

    const error = await createTables([table as never], client).catch((cause) => cause);

    const told = databaseError(error, 'the database in /data', 'make room');
    client.destroy();
    expect(told).toBeInstanceOf(LocalRunError);
    expect(told).toMatchObject({
      message: 'the database in /data fails (disk I/O error): make room',
      cause: error,
    });
  });

  it.each([new LocalRunError('the port is in use'), new TypeError('a mistake')])(
    'is not blamed for what it has not done: %s',
    (error) => {
      expect(databaseError(error, 'the database', 'make room')).toBe(error);
    },
  );
});
