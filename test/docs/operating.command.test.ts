import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../../tools/local/server.ts';
import { templateFile } from '../helpers/synthesized.ts';
import { temporaryDirectoryOfFile } from '../helpers/temporary-directory.ts';
import {
  comparable,
  documentedCommands,
  documentedFunctions,
  runCommands,
} from './documented-commands.ts';

const markdown = readFileSync('docs/operating.md', 'utf8');
const documented = documentedCommands(markdown);

let service: LocalService;
const directory = temporaryDirectoryOfFile();

beforeAll(async () => {
  service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: 'StoreOrders-staging',
    log: () => {},
  });
});
afterAll(async () => {
  await service?.close();
});

describe('docs/operating.md', () => {
  // Each of some thirty commands starts a process.
  const timeoutMs = 240_000;

  it(
    'shows commands that run as they are pasted, and print what it says',
    async () => {
      const commands = documented.map(({ command }) => command);

      const outputs = await runCommands(commands, documentedFunctions(markdown), {
        origin: service.origin,
        directory: directory.path,
      });

      const shown = documented.map(({ command, output }) => ({
        command,
        output: comparable(output),
      }));
      expect(
        commands.map((command, index) => ({ command, output: comparable(outputs[index]!) })),
      ).toEqual(shown);
    },
    timeoutMs,
  );
});
