import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { startRun } from './running-service.ts';

it('npm start -- --inspect lets a debugger find the sources of the functions', async () => {
  const run = startRun(['--json', '--port', '0', '--inspect=0']);
  let said = '';
  run.child.stderr!.on('data', (chunk) => {
    said += chunk;
  });
  try {
    await run.started;
    const debugging = new WebSocket(/ws:\S+/.exec(said)![0]);
    const sourceMaps: string[] = [];
    const enabled = new Promise<void>((resolve) => {
      debugging.addEventListener('message', ({ data }) => {
        const { id, params } = JSON.parse(String(data));
        if (params?.sourceMapURL) sourceMaps.push(params.sourceMapURL);
        if (id === 1) resolve();
      });
    });
    await once(debugging, 'open');

    debugging.send(JSON.stringify({ id: 1, method: 'Debugger.enable' }));
    await enabled;
    debugging.close();

    // An editor finds its breakpoints by the source map of a bundle.
    const sources = sourceMaps.map((url) => Buffer.from(url.split(',')[1]!, 'base64').toString());
    expect(sources.some((text) => text.includes('lambdas/cancel-order.ts'))).toBe(true);
    run.child.kill('SIGTERM');
    expect(await run.exited).toEqual([0, null]);
  } finally {
    run.child.kill('SIGKILL');
    await run.exited;
  }
});
