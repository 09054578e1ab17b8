import { parentPort } from 'node:worker_threads';
import { startDynamoDBGuard } from './guard.ts';
import type { GuardMessage, GuardSettings } from './guard-thread.ts';
import type { Identities } from './identities.ts';

/* The code that runs in the guard's thread. guard-thread.ts starts it. */

const post = (message: GuardMessage) => parentPort!.postMessage(message);

parentPort!.once('message', async (settings: GuardSettings) => {
  const log = (line: string) => post({ type: 'log', line });
  const guard = await startDynamoDBGuard({ ...settings, log });
  parentPort!.on('message', (identities: Identities) => {
    guard.replaceIdentities(identities);
    post({ type: 'replaced' });
  });
  post({ type: 'listening', endpoint: guard.endpoint });
});
