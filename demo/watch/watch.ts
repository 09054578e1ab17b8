import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalService } from '../../local/server.ts';
import type { LiveCode } from './live-code.ts';
import { watchSources } from './source-files.ts';

interface WatchOptions {
  readonly service: Pick<LocalService, 'replaceFunctionCode' | 'replaceTemplate'>;
  readonly liveCode: LiveCode;
  /** Synthesizes the stack from its current sources. Resolves with the template's path. */
  readonly synthesize: (signal: AbortSignal) => Promise<string>;
  /** The root folder of the sources. */
  readonly root: string;
  /** Prints a line about a change that has been applied. */
  readonly onServed: (line: string) => void;
  /** Prints the error of a change that could not be applied. */
  readonly onRefused: (text: string) => void;
}

const watchedFolders = ['lambdas', 'lib', 'bin'];

// The files that the CDK app depends on: settings, constructs, and modules that they share with the
// functions.
const ofTemplate = /^(?:lib|lambdas\/shared)\/|^bin\/app\.ts$/;
const settlesWithinMs = 30;

/** Applies changes of the sources to a running service, until it is disposed. */
export function startWatching(options: WatchOptions): Disposable {
  const { root, liveCode, service } = options;
  const stopping = new AbortController();
  let synthesis = new AbortController();

  async function followCode(file?: string): Promise<void> {
    const startedMs = performance.now();
    const replace = service.replaceFunctionCode;
    await attempt(file, async () => {
      const names = await liveCode.follow(file, replace);
      if (names.length === 0) return undefined;
      return `${names.join(', ')}: new code after ${Math.round(performance.now() - startedMs)} ms`;
    });
  }

  async function followTemplate(file: string): Promise<void> {
    synthesis.abort();
    synthesis = new AbortController();
    const signal = AbortSignal.any([synthesis.signal, stopping.signal]);
    const startedMs = performance.now();
    await attempt(
      file,
      async () => {
        await sleep(settlesWithinMs, undefined, { signal });
        await service.replaceTemplate(await options.synthesize(signal));
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
        return `the stack: new template after ${seconds} s`;
      },
      signal,
    );
  }

  /** Applies a change and prints the result. After an error the last good version continues to run. */
  async function attempt(
    file: string | undefined,
    follow: () => Promise<string | undefined>,
    signal = stopping.signal,
  ): Promise<void> {
    const name = file === undefined ? '' : `${relative(root, file)}: `;
    try {
      const served = await follow();
      if (served !== undefined) options.onServed(name + served);
    } catch (error) {
      if (signal.aborted) return;
      options.onRefused(`${name}${(error as Error).message}\nThe last good version goes on.`);
    }
  }

  const watcher = watchSources(
    watchedFolders.map((folder) => join(root, folder)),
    (file) => {
      void followCode(file);
      if (ofTemplate.test(relative(root, file))) void followTemplate(file);
    },
  );
  // Requests do not wait for the first build, whose code is almost always the same.
  void liveCode
    .buildAll()
    .catch(() => {})
    .then(() => (stopping.signal.aborted ? undefined : followCode()));
  return {
    [Symbol.dispose]: () => {
      stopping.abort();
      watcher[Symbol.dispose]();
    },
  };
}
