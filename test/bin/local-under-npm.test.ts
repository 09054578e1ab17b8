import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';

const endsWithinMs = 2_000;
const started: ChildProcess[] = [];

afterEach(() => {
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // It has ended by itself, as it should.
    }
  }
});

describe('npm start', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'ends all that it started within two seconds of npm alone getting %s',
    async (signal) => {
      const npm = startUnderNpm();
      const ready = await firstLine(npm);
      const origins = [new URL(ready.baseUrl).origin, ready.dynamodbEndpoint];
      expect(await Promise.all(origins.map(isListening))).toEqual([true, true]);

      npm.kill(signal);

      const deadline = Date.now() + endsWithinMs;
      let listening = await Promise.all(origins.map(isListening));
      while (listening.includes(true) && Date.now() < deadline) {
        listening = await Promise.all(origins.map(isListening));
      }
      expect(listening).toEqual([false, false]);
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

async function firstLine(
  child: ChildProcess,
): Promise<{ baseUrl: string; dynamodbEndpoint: string }> {
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
