import { expect, it, jest } from '@jest/globals';
import { runLocalCommand } from '../../demo/local-command.ts';

it('says why it does not start, and leaves the terminal as it is', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);

  const exitCode = await runLocalCommand(['--stage', '\u009b2J'], new AbortController().signal);

  const [[printed]] = write.mock.calls as [[string]];
  write.mockRestore();
  expect(printed).toMatch(/^--stage: "\\u009b2J" is not accepted; expected .*\n$/);
  expect(exitCode).toBe(1);
});
