import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FunctionName, functionNames } from '../../lib/settings/functions.ts';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import type { LocalService } from '../../local/server.ts';
import type { BuiltFunction, FunctionBuilder } from './function-builder.ts';

interface RunningFunction {
  readonly logicalId: string;
  readonly code: Buffer;
  readonly directory: string;
}

// An editor empties a file and then writes it, and saves several files one after the other.
const settlesWithinMs = 15;

/** The code that the functions of a run have, which follows their sources. */
export class LiveCode {
  readonly #builder: FunctionBuilder;
  readonly #running = new Map<FunctionName, RunningFunction>();
  readonly #built = new Map<FunctionName, BuiltFunction>();
  readonly #changed = new Set<string>();
  #lastChangeMs = 0;
  #replacing: Promise<string[]> | undefined;
  #firstBuild: Promise<void> | undefined;

  constructor(builder: FunctionBuilder) {
    this.#builder = builder;
  }

  /**
   * Builds all functions for the first time, which takes longer than building them again.
   *
   * @throws OperatorError when one does not build
   */
  buildAll(): Promise<void> {
    this.#firstBuild ??= this.#builder.build().then((all) => {
      for (const built of all) this.#built.set(built.name, built);
    });
    return this.#firstBuild;
  }

  /** Where the code of a template's function lies that is built here; undefined for one that is not. */
  codeOf({ logicalId, codeDirectory }: LambdaFunction): string | undefined {
    const name = bundleNameOf(codeDirectory);
    if (!name) return undefined;
    const running = this.#running.get(name);
    const { code, directory } = running ??
      this.#built.get(name) ?? { code: readCode(codeDirectory), directory: codeDirectory };
    this.#running.set(name, { logicalId, code, directory });
    return directory;
  }

  /**
   * Lets functions run what their sources have become. Requests wait for it from this moment on.
   *
   * @param file that has changed; undefined for what has changed since the functions were built
   * @returns the functions that have new code; nothing for who came while this was under way
   * @throws Error with what does not build, or cannot be loaded; the last good code goes on
   */
  async follow(
    file: string | undefined,
    replace: LocalService['replaceFunctionCode'],
  ): Promise<string[]> {
    if (file !== undefined) this.#changed.add(file);
    this.#lastChangeMs = performance.now();
    if (this.#replacing) return [];
    const changed = this.#build();
    this.#replacing = this.#replace(changed, replace);
    return this.#replacing;
  }

  async #replace(
    changed: Promise<BuiltFunction[]>,
    replace: LocalService['replaceFunctionCode'],
  ): Promise<string[]> {
    await replace(changed.then((built) => new Map(built.map((each) => this.#placeOf(each)))));
    const built = await changed;
    for (const { name, code, directory } of built) {
      this.#running.set(name, { ...this.#running.get(name)!, code, directory });
    }
    return built.map(({ name }) => name);
  }

  #placeOf({ name, directory }: BuiltFunction): [logicalId: string, directory: string] {
    return [this.#running.get(name)!.logicalId, directory];
  }

  /** Gives the functions whose code has become another one, once no file changes any more. */
  async #build(): Promise<BuiltFunction[]> {
    try {
      const built = await this.#buildUntilSettled();
      return built.filter(({ name, code }) => !this.#isRunning(name, code));
    } finally {
      this.#replacing = undefined;
    }
  }

  async #buildUntilSettled(): Promise<BuiltFunction[]> {
    // What did not build is built again here, and says what is wrong.
    await this.#firstBuild?.catch(() => {});
    await this.#settle();
    const files = new Set(this.#changed);
    this.#changed.clear();
    const building = this.#builder.build(files);
    await building.catch(() => {});
    // What was built of files that have changed meanwhile, or did not build, is of no interest.
    return this.#changed.size > 0 ? this.#buildUntilSettled() : building;
  }

  async #settle(): Promise<void> {
    for (;;) {
      const waitMs = this.#lastChangeMs + settlesWithinMs - performance.now();
      if (waitMs <= 0) return;
      await sleep(waitMs);
    }
  }

  #isRunning(name: FunctionName, code: Buffer): boolean {
    return this.#running.get(name)?.code.equals(code) ?? false;
  }
}

/** The CDK functionNames an asset's folder by its hash; the bundle that it was copied from has the name. */
function bundleNameOf(codeDirectory: string): FunctionName | undefined {
  const code = readCode(codeDirectory);
  const bundles = join(dirname(codeDirectory), 'bundles');
  return functionNames.find((name) => readCode(join(bundles, name)).equals(code));
}

function readCode(directory: string): Buffer {
  return readFileSync(join(directory, 'index.js'));
}
