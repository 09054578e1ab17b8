import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

it.each(['staging', 'prod', 'try-Ana', ''])(
  'npm run acceptance never deploys or destroys %j, which is not a trial',
  (stage) => {
    const { status, stderr } = spawnSync(process.execPath, ['tools/acceptance/run.ts', '--clean'], {
      env: { PATH: process.env.PATH, STORE_ORDERS_STAGE: stage },
      encoding: 'utf8',
    });

    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `acceptance: STORE_ORDERS_STAGE: "${stage}" is not accepted; expected a trial, such as try-ana\n`,
    });
  },
);
