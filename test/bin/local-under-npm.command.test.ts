import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isWithinAwakeMs } from './awake-time.ts';

const endsWithinMs = 2_000;
const started: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // The process has ended already, as expected.
    }
  }
});

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'ends all that it started within two seconds of npm alone getting %s',
    async (signal) => {
      const npm = startUnderNpm();
      const ready = await firstLine(npm);
      const { origin } = new URL(ready.baseUrl);
      const processes = descendantsOf(npm.pid!);
      expect(await isListening(origin)).toBe(true);
      expect(namesOf(processes).join()).toContain('dynoxide');

      npm.kill(signal);

      let left: string[] = [];
      await isWithinAwakeMs(endsWithinMs, () => {
        left = namesOf(processes);
        return left.length === 0;
      });
      expect(left).toEqual([]);
      expect(await isListening(origin)).toBe(false);
    },
  );
});

function startUnderNpm(): ChildProcess {
  const npm = spawn('npm', ['start', '--silent', '--', '--json', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  started.push(npm);
  return npm;
}

interface Process {
  readonly id: number;
  readonly parentId: number;
  readonly name: string;
}

function listProcesses(): Process[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' });
  return lines
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state !== undefined && !state.startsWith('Z'))
    .map(([id, parentId, , ...name]) => ({
      id: Number(id),
      parentId: Number(parentId),
      name: name.join(' '),
    }));
}

/** The ids of a process and of all that it has started. */
function descendantsOf(processId: number): ReadonlySet<number> {
  const all = listProcesses();
  const found = new Set([processId]);
  // A set goes on with what is added to it meanwhile.
  for (const id of found) {
    for (const child of all) if (child.parentId === id) found.add(child.id);
  }
  return found;
}

/** The names of those that are still there. */
function namesOf(ids: ReadonlySet<number>): string[] {
  return listProcesses()
    .filter(({ id }) => ids.has(id))
    .map(({ name }) => name);
}

async function firstLine(child: ChildProcess): Promise<{ baseUrl: string }> {
  const [line] = await once(child.stdout!, 'data');
  return JSON.parse(String(line));
}

async function isListening(origin: string): Promise<boolean> {
  try {
    await fetch(origin);
    return true;
  } catch {
    return false;
  }
}
