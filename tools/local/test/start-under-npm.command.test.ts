import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isWithinAwakeMs } from './awake-time.ts';

const endsWithinMs = 2_000;
let npm: ChildProcess;

afterEach(() => {
  try {
    process.kill(-npm.pid!, 'SIGKILL');
  } catch {
    // All processes have ended already, as expected.
  }
});

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'ends all that it started within two seconds of npm alone getting %s',
    async (signal) => {
      npm = spawn('npm', ['start', '--silent', '--', '--json', '--port', '0'], {
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      });
      await once(npm.stdout!, 'data');
      const started = descendantsOf(String(npm.pid), processes());
      expect(started.join()).toContain('dynoxide');

      npm.kill(signal);

      const left = () => processes().filter(([id]) => started.some(([one]) => one === id));
      await isWithinAwakeMs(endsWithinMs, () => left().length === 0);
      expect(left()).toEqual([]);
    },
  );
});

/** The id, the parent's id, the state and the program of each process. */
function processes(): string[][] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state !== undefined && !state.startsWith('Z'));
}

function descendantsOf(id: string, all: readonly string[][]): string[][] {
  const children = all.filter(([, parentId]) => parentId === id);
  return [...children, ...children.flatMap(([child]) => descendantsOf(child!, all))];
}
