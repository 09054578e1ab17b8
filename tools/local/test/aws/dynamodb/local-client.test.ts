import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fastForward } from '../../../../../test/helpers/fast-forward.ts';
import { serve } from '../../../../../test/helpers/loopback-server.ts';
import { localDynamoDbClient } from '../../../aws/dynamodb/local-client.ts';

const userSettings = {
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_DEFAULTS_MODE: 'no mode',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://192.0.2.1',
};

afterEach(() => {
  for (const name of Object.keys(userSettings)) delete process.env[name];
});

describe('a client of a local server', () => {
  it.each(Object.entries(userSettings))(
    "calls the server whatever the user's settings for AWS are: %s",
    async (name, value) => {
      await using server = await serve((_, answer) => answer.end('{"TableNames":["here"]}'));
      process.env[name] = value;
      const client = localDynamoDbClient(server.url, 'local');

      const answered = client.send(new ListTablesCommand({}));

      await expect(answered).resolves.toMatchObject({ TableNames: ['here'] });
      client.destroy();
    },
  );

  it('times out if the server does not answer', async () => {
    await using server = await serve(() => {});
    const client = localDynamoDbClient(server.url, 'local');

    const { result } = await fastForward(() =>
      client.send(new ListTablesCommand({})).catch((error) => error),
    );

    client.destroy();
    expect(result).toMatchObject({ name: 'TimeoutError' });
  });
});
