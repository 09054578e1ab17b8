import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

/** A process that does what the test says. */
class StubProcess extends EventEmitter {
  readonly command: readonly unknown[];
  readonly options: object;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly pipe = new PassThrough();
  readonly stdio = [null, this.stdout, this.stderr, this.pipe];
  readonly signals: string[] = [];

  constructor(file: string, parameters: readonly string[], options: object) {
    super();
    this.command = [file, ...parameters];
    this.options = options;
    processes.push(this);
    setImmediate(() => onSpawn(this));
  }

  kill(signal: string): void {
    this.signals.push(signal);
    if (endsBy.has(signal)) this.end(null, signal);
  }

  /** Ends after everything that it has written has been read. */
  end(code: number | null, signal: string | null = null): void {
    setImmediate(() => this.emit('exit', code, signal));
  }
}

let processes: StubProcess[];
let onSpawn: (spawned: StubProcess) => void;
/** The signals that end a process. */
let endsBy: Set<string>;
let isInstalled: boolean;

jest.unstable_mockModule('node:child_process', () => ({
  spawn: (...parameters: ConstructorParameters<typeof StubProcess>) =>
    new StubProcess(...parameters),
}));
jest.unstable_mockModule('node:fs', () => ({ existsSync: () => isInstalled }));
const { startEmbeddedDynamoDB } = await import('../../../aws/dynamodb/embedded-dynamodb.ts');

const { platform } = process;
const setPlatform = (value: string) => Object.defineProperty(process, 'platform', { value });
const listens = (spawned: StubProcess) => spawned.stdout.write('dynoxide listening on it\n');
const fails = (spawned: StubProcess) => {
  spawned.stdout.write('starting\n');
  spawned.stderr.write('disk full\n');
  setImmediate(() => spawned.end(1));
};

beforeEach(() => {
  processes = [];
  onSpawn = listens;
  endsBy = new Set(['SIGTERM', 'SIGKILL']);
  isInstalled = true;
});

afterEach(() => {
  setPlatform(platform);
  jest.useRealTimers();
});

const useFakeTime = () =>
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });

type SystemCase = [system: string, host: RegExp];
// One of sixteen million addresses is drawn, so that 127.0.0.1 itself does not occur.
const linux: SystemCase = ['linux', /^127\.(?!0\.0\.1$)\d+\.\d+\.\d+$/];

describe('the process of the embedded DynamoDB', () => {
  it.each<SystemCase>([
    // Elsewhere, no program can listen at any address that begins with 127.
    ...(platform === 'linux' ? [linux] : []),
    ['darwin', /^127\.0\.0\.1$/],
  ])('is started on %s at a free address, in a process group of its own', async (system, host) => {
    setPlatform(system);

    const { endpoint } = await startEmbeddedDynamoDB({ databaseFile: '/data' });

    const { hostname, port } = new URL(endpoint);
    const [spawned] = processes;
    expect(spawned!.command.slice(3)).toEqual([
      expect.stringMatching(new RegExp(`/node_modules/@dynoxide/${system}-\\w+/dynoxide$`)),
      ...['serve', '--host', hostname, '--port', port, '--db-path', '/data'],
    ]);
    expect(spawned!.options).toEqual({
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    expect(hostname).toMatch(host);
  });

  it('is stopped if it does not listen in time, and fails after five attempts', async () => {
    useFakeTime();
    onSpawn = () => jest.advanceTimersByTime(10_000);

    await expect(startEmbeddedDynamoDB()).rejects.toThrow(
      'the embedded DynamoDB in memory fails (dynoxide did not listen within 10000 ms): start again',
    );
    expect(processes.map(({ signals }) => signals)).toEqual(Array(5).fill(['SIGTERM']));
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([1, 5])('is stopped if its start is aborted in attempt %s', async (attempt) => {
    const stop = new AbortController();
    onSpawn = (spawned) =>
      processes.length < attempt ? fails(spawned) : stop.abort(new Error('called off'));

    await expect(startEmbeddedDynamoDB({ signal: stop.signal })).rejects.toThrow('called off');

    expect(processes).toHaveLength(attempt);
    expect(processes.at(-1)!.signals).toEqual(['SIGTERM']);
  });

  it('is reported to be missing on a platform without a binary', async () => {
    isInstalled = false;
    setPlatform('sunos');

    await expect(startEmbeddedDynamoDB()).rejects.toMatchObject({
      name: 'LocalRunError',
      message: expect.stringMatching(
        /^There is no embedded DynamoDB for this platform \(@dynoxide\/sunos-\w+ is not installed\): start a DynamoDB-compatible server yourself and name it in DYNAMODB_ENDPOINT, such as http:\/\/127\.0\.0\.1:8000$/,
      ),
    });
  });
});

describe('the end of the embedded DynamoDB', () => {
  it('is requested, and forced after a second', async () => {
    useFakeTime();
    endsBy = new Set(['SIGKILL']);
    const database = await startEmbeddedDynamoDB();
    expect(jest.getTimerCount()).toBe(0);
    const [{ signals, pipe }] = processes as [StubProcess];

    const closing = database.close();
    jest.advanceTimersByTime(999);
    const before = [...signals];
    jest.advanceTimersByTime(1);
    await closing;

    expect([before, signals]).toEqual([['SIGTERM'], ['SIGTERM', 'SIGKILL']]);
    expect(String(pipe.read())).toBe('stop\n');
    expect(pipe.writableEnded).toBe(true);
  });

  it('is reported if nobody asked for it', async () => {
    const database = await startEmbeddedDynamoDB({ databaseFile: '/data' });

    processes[0]!.pipe.emit('error', new Error('EPIPE'));
    processes[0]!.end(null, 'SIGKILL');

    const message =
      'the embedded DynamoDB with the data in /data fails (dynoxide ended (SIGKILL)): free space on its disk, restore a copy of the file, or name another directory';
    expect(await database.ended).toMatchObject({ name: 'LocalRunError', message });
    expect(database.failure('disk I/O error').message).toContain('fails (disk I/O error): ');
  });
});
