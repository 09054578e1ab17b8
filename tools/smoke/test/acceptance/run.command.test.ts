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
    const { status, stderr } = runAcceptance(words, { AWS_EC2_METADATA_DISABLED: 'true' });

    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^acceptance: .*stage try-accept: there are no credentials that AWS accepts .*; sign in .*\n$/,
    );
  },
);

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
