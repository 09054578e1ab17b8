import { join } from 'node:path';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import type { LocalService } from '../../local/server.ts';
import type { RunConsole } from '../console/run-console.ts';
import { FunctionBuilder } from './function-builder.ts';
import { LiveCode } from './live-code.ts';
import { startWatching } from './watch.ts';

interface DevelopmentOptions {
  /** The folder for the bundles. */
  readonly directory: string;
  /** Synthesizes the stack from its current sources. */
  readonly again: (signal: AbortSignal) => Promise<string>;
  /** Whether the bundles contain source maps for a debugger. */
  readonly isDebugged: boolean;
}

const root = join(import.meta.dirname, '../..');

/** The parts of a run for development: code that is rebuilt on changes, or built for a debugger. */
export class Development {
  /** Resolves when the functions' code is available; rejects if it does not build. */
  readonly built: Promise<void>;
  readonly #options: DevelopmentOptions;
  readonly #builder: FunctionBuilder;
  readonly #liveCode: LiveCode;
  readonly #started = new DisposableStack();

  constructor(options: DevelopmentOptions) {
    this.#options = options;
    this.#builder = new FunctionBuilder(join(options.directory, 'live'), options.isDebugged);
    this.#liveCode = new LiveCode(this.#builder);
    // Without a debugger, the functions start with the synthesized code.
    this.built = options.isDebugged ? this.#liveCode.buildAll() : Promise.resolve();
    // The start awaits the promise. If it fails before that, the rejection is not unhandled.
    this.built.catch(() => {});
  }

  /** The folder of a function's code. */
  readonly codeOf = (lambda: LambdaFunction): string | undefined => this.#liveCode.codeOf(lambda);

  /** Applies changes of the sources to a service. */
  watch(service: LocalService, { log, paint }: RunConsole): void {
    const watching = startWatching({
      service,
      liveCode: this.#liveCode,
      synthesize: this.#options.again,
      root,
      onServed: (line) => log(paint('cyan', line)),
      onRefused: (text) => log(paint('red', text)),
    });
    this.#started.use(watching);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#started.dispose();
    await this.#builder.close();
  }
}
