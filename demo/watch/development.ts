import { join } from 'node:path';
import type { LambdaFunction } from '../../local/functions/lambda-functions.ts';
import type { LocalService } from '../../local/server.ts';
import type { RunConsole } from '../console/run-console.ts';
import { FunctionBuilder } from './function-builder.ts';
import { LiveCode } from './live-code.ts';
import { startWatching } from './watch.ts';

export interface DevelopmentOptions {
  /** Takes the bundles. */
  readonly directory: string;
  /** Synthesizes the stack as its sources are now. */
  readonly again: (signal: AbortSignal) => Promise<string>;
  /** Whether a debugger is to find its way from the functions' code to the sources. */
  readonly isDebugged: boolean;
}

const root = join(import.meta.dirname, '../..');

/** What a run has for who changes the service: code that follows its sources, or leads to them. */
export class Development {
  /** Settles when there is code for the functions; rejects when their sources do not build. */
  readonly built: Promise<void>;
  readonly #options: DevelopmentOptions;
  readonly #builder: FunctionBuilder;
  readonly #liveCode: LiveCode;
  readonly #started = new DisposableStack();

  constructor(options: DevelopmentOptions) {
    this.#options = options;
    this.#builder = new FunctionBuilder(join(options.directory, 'live'), options.isDebugged);
    this.#liveCode = new LiveCode(this.#builder);
    // Without a debugger, the functions begin with the code that was synthesized.
    this.built = options.isDebugged ? this.#liveCode.buildAll() : Promise.resolve();
    // It is awaited by the start, unless something else fails first.
    this.built.catch(() => {});
  }

  /** Where a function's code lies. */
  readonly codeOf = (lambda: LambdaFunction): string | undefined => this.#liveCode.codeOf(lambda);

  /** Lets a service follow its sources. */
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
