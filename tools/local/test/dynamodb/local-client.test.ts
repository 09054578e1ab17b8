import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { serve } from '../../../../test/helpers/loopback-server.ts';
import { localDynamoDbClient } from '../../dynamodb/local-client.ts';

const userSettings = {
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_DEFAULTS_MODE: 'no mode',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://192.0.2.1',
};

afterEach(() => {
  jest.useRealTimers();
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
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    await using server = await serve(() => {});
    const client = localDynamoDbClient(server.url, 'local');

    let failure: Error | undefined;
    const call = client.send(new ListTablesCommand({})).catch((error) => {
      failure = error;
    });
    while (!failure) {
      await new Promise((resolve) => setImmediate(resolve));
      jest.advanceTimersByTime(100);
    }

    await call;
    client.destroy();
    expect(failure).toMatchObject({ name: 'TimeoutError' });
  });
});
