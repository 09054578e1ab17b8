import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { stackName } from '../../../../lib/settings/names.ts';
import { serve } from '../../../../test/helpers/loopback-server.ts';

it('npm run acceptance removes a trial whose deployment has failed, and no other stage', async () => {
  const calls: string[] = [];
  // An account without stacks and keys.
  await using aws = await serve(async (request, response) => {
    const parameters = new URLSearchParams(await text(request));
    const action = parameters.get('Action') ?? request.url!;
    calls.push(`${action} ${parameters.get('StackName')}`);
    if (action.startsWith('/apikeys')) response.end('{"item":[]}');
    else if (action === 'DeleteStack') response.end('<DeleteStackResponse/>');
    else {
      const message = '<Code>ValidationError</Code><Message>Stack does not exist</Message>';
      response.writeHead(400).end(`<ErrorResponse><Error>${message}</Error></ErrorResponse>`);
    }
  });

  const env = {
    ...{ PATH: process.env.PATH, HOME: '/nowhere', ORDERS_STAGE: 'prod' },
    ...{ AWS_ENDPOINT_URL: aws.url, AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', CDK_APP: '/nowhere' },
  };
  const running = spawn(process.execPath, ['tools/smoke/acceptance/run.ts'], { env });
  const [stderr, [exitCode]] = await Promise.all([text(running.stderr), once(running, 'close')]);

  const stack = stackName('try-accept');
  const removal = [
    expect.stringMatching(`^/apikeys.*=${stack}-own_`),
    `DeleteStack ${stack}-operator`,
    `DeleteStack ${stack}`,
  ];
  expect(stderr).toMatch(/^acceptance: .*\/nowhere/m);
  expect(exitCode).toBe(1);
  expect(calls.filter((call) => !/^(Describe|Get)/.test(call))).toEqual([...removal, ...removal]);
}, 60_000);
