import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { serve } from '../../../../test/helpers/loopback-server.ts';

async function runAcceptance(environment: NodeJS.ProcessEnv) {
  const env = { PATH: process.env.PATH, HOME: '/nowhere', ...environment };
  const running = spawn(process.execPath, ['tools/smoke/acceptance/run.ts'], { env });
  const [stderr, [exitCode]] = await Promise.all([text(running.stderr), once(running, 'close')]);
  return { exitCode, stderr };
}

it.each(['staging', 'prod', 'try-Ana', ''])(
  'npm run acceptance never deploys or destroys %j, which is not a trial',
  async (stage) => {
    expect(await runAcceptance({ ORDERS_STAGE: stage })).toEqual({
      exitCode: 1,
      stderr: `acceptance: ORDERS_STAGE: "${stage}" is not accepted; expected a trial, such as try-ana\n`,
    });
  },
);

it('npm run acceptance removes a trial whose deployment has failed', async () => {
  const calls: string[] = [];
  // An account without stacks and keys.
  await using aws = await serve(async (request, response) => {
    const action = new URLSearchParams(await text(request)).get('Action') ?? request.url!;
    calls.push(action);
    if (action.startsWith('/apikeys')) response.end('{"item":[]}');
    else if (action === 'DeleteStack') response.end('<DeleteStackResponse/>');
    else {
      const message = '<Code>ValidationError</Code><Message>Stack does not exist</Message>';
      response.writeHead(400).end(`<ErrorResponse><Error>${message}</Error></ErrorResponse>`);
    }
  });

  const { exitCode, stderr } = await runAcceptance({
    ...{ AWS_ENDPOINT_URL: aws.url, AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', CDK_APP: '/nowhere' },
  });

  const removal = [expect.stringContaining('/apikeys'), 'DeleteStack', 'DeleteStack'];
  expect(stderr).toMatch(/^acceptance: .*\/nowhere/m);
  expect(exitCode).toBe(1);
  expect(calls.filter((call) => !/^(Describe|Get)/.test(call))).toEqual([...removal, ...removal]);
}, 60_000);
