import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../../../../test/helpers/temporary-directory.ts';
import { startEmbeddedDynamoDB } from '../../../aws/dynamodb/embedded-dynamodb.ts';

const answers = (endpoint: string) =>
  fetch(endpoint).then(
    ({ ok }) => ok,
    () => false,
  );

describe('embedded DynamoDB', () => {
  it('reports a damaged database file with its path and the remedy', async () => {
    const directory = temporaryDirectory();
    const databaseFile = directory.write('data.sqlite', 'no database '.repeat(100));

    const failure = await startEmbeddedDynamoDB(databaseFile).catch((error) => error);

    directory.remove();
    expect(failure).toMatchObject({
      name: 'LocalRunError',
      message: expect.stringMatching(
        /^the embedded DynamoDB with the data in \/.*\/data\.sqlite fails \(dynoxide ended \(1: [^\n]+SQLite[^\n]+\)\): [^\n]*restore a copy of the file/,
      ),
    });
  });

  it('listens on Linux at an address that no web page can guess', async () => {
    const { endpoint, close } = await startEmbeddedDynamoDB();

    await close();

    const isGuessable = new URL(endpoint).hostname === '127.0.0.1';
    expect(isGuessable).toBe(process.platform !== 'linux');
  });

  it('ends with the process that started it, even if that process is killed', async () => {
    const module = new URL('../../../aws/dynamodb/embedded-dynamodb.ts', import.meta.url).href;
    const code = `const { startEmbeddedDynamoDB } = await import(${JSON.stringify(module)});
      console.log((await startEmbeddedDynamoDB()).endpoint); setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' });
    const [output] = await once(child.stdout, 'data');
    const endpoint = String(output).trim();
    expect(await answers(endpoint)).toBe(true);

    child.kill('SIGKILL');

    // If this never ends, the test's own time limit ends it.
    while (await answers(endpoint)) await sleep(20);
    expect(await answers(endpoint)).toBe(false);
  });
});
