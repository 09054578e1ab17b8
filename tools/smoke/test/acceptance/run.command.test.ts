import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

it.each(['staging', 'prod', 'try-Ana', ''])(
  'npm run acceptance never deploys or destroys %j, which is not a trial',
  (stage) => {
    expect(runAcceptance(['--clean'], { ORDERS_STAGE: stage })).toEqual({
      status: 1,
      stderr: `acceptance: ORDERS_STAGE: "${stage}" is not accepted; expected a trial, such as try-ana\n`,
    });
  },
);

it.each([[[]], [['--clean']]])(
  'npm run acceptance says in one line that there are no credentials, with %j',
  (words) => {
    const environment = { AWS_REGION: 'eu-west-1', AWS_EC2_METADATA_DISABLED: 'true' };
    const { status, stderr } = runAcceptance(words, environment);

    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^acceptance: .*stage try-accept: there are no credentials that AWS accepts .*; sign in .*\n$/,
    );
  },
);

it('npm run acceptance asks for a Region if neither the stage nor the environment names one', () => {
  const { status, stderr } = runAcceptance([], {});

  expect(status).toBe(1);
  expect(stderr).toBe('acceptance: set AWS_REGION to the Region of the trial\n');
});

function runAcceptance(words: string[], environment: NodeJS.ProcessEnv) {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['tools/smoke/acceptance/run.ts', ...words],
    {
      env: { PATH: process.env.PATH, HOME: '/nowhere', ...environment },
      encoding: 'utf8',
    },
  );
  return { status, stderr };
}
