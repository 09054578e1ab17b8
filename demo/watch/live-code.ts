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

// Editors may empty a file before they write it, and save several files one after the other.
const settlesWithinMs = 15;

/** The code of a run's functions, which is rebuilt when their sources change. */
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
   * Builds all functions for the first time, which takes longer than later builds.
   *
   * @throws OperatorError when one does not build
   */
  buildAll(): Promise<void> {
    this.#firstBuild ??= this.#builder.build().then((all) => {
      for (const built of all) this.#built.set(built.name, built);
    });
    return this.#firstBuild;
  }

  /** The folder of a function's code; undefined for a function that is not built here. */
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
   * Builds the functions again and replaces their code. Requests wait for it from this call on.
   *
   * @param file the file that has changed; undefined for all changes since the stack was synthesized
   * @returns the names of the functions with new code; an empty list if an earlier call, which is
   *   still building, includes this change
   * @throws Error when a function does not build or cannot be loaded; then nothing is replaced
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

  /** Builds when no file changes any more. Returns the functions whose code is different. */
  async #build(): Promise<BuiltFunction[]> {
    try {
      const built = await this.#buildUntilSettled();
      return built.filter(({ name, code }) => !this.#isRunning(name, code));
    } finally {
      this.#replacing = undefined;
    }
  }

  async #buildUntilSettled(): Promise<BuiltFunction[]> {
    // A function whose first build failed is built again below, which reports the error.
    await this.#firstBuild?.catch(() => {});
    await this.#settle();
    const files = new Set(this.#changed);
    this.#changed.clear();
    const building = this.#builder.build(files);
    await building.catch(() => {});
    // If files have changed meanwhile, the result and the errors of this build are obsolete.
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

/**
 * The function whose bundle was copied to an asset's folder. The CDK names that folder by its hash, so
 * the code is compared.
 */
function bundleNameOf(codeDirectory: string): FunctionName | undefined {
  const code = readCode(codeDirectory);
  const bundles = join(dirname(codeDirectory), 'bundles');
  return functionNames.find((name) => readCode(join(bundles, name)).equals(code));
}

function readCode(directory: string): Buffer {
  return readFileSync(join(directory, 'index.js'));
}
