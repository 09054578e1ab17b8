import { afterEach, expect, it } from '@jest/globals';
import { serve } from '../../../../test/helpers/loopback-server.ts';
import { connect } from '../../stage/stage-connection.ts';

const names = ['AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT', 'AWS_DEFAULTS_MODE'] as const;

afterEach(() => {
  for (const name of names) delete process.env[name];
});

it.each(names)(
  "a connection to a local service ignores the user's settings for AWS: %s",
  async (name) => {
    const calls: unknown[] = [];
    await using server = await serve((call, answer) => {
      calls.push(call.url);
      answer.end('<DescribeStacksResponse/>');
    });
    process.env[name] = 'true';

    const connected = connect({ local: server.url }, Date.now, async () => 'ann');

    await expect(connected).rejects.toThrow('is not a stage of this service');
    expect(calls).toEqual(['/']);
  },
);
