import { setTimeout as sleep } from 'node:timers/promises';
import type { StartEnvironment } from '../../../local/functions/execution-environment.ts';
import { FunctionRunner } from '../../../local/functions/function-runner.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../helpers/temporary-directory.ts';

export type Invoked = ReturnType<FunctionRunner['invoke']>;

interface PrepareOptions {
  readonly lambda?: Partial<LambdaFunction>;
  readonly maxEnvironments?: number;
}

const timeoutMs = 20_000;

/** A function and its runner, of which each test has one at a time. */
export class FunctionUnderTest {
  /** What the function has logged. */
  lines: string[] = [];
  readonly #startEnvironment: StartEnvironment | undefined;
  #directory: TemporaryDirectory | undefined;
  #runner: FunctionRunner | undefined;

  constructor(startEnvironment?: StartEnvironment) {
    this.#startEnvironment = startEnvironment;
  }

  /** @param code the text of its `index.js` */
  prepare(code: string, { lambda, maxEnvironments }: PrepareOptions = {}) {
    const directory = temporaryDirectory();
    directory.write('index.js', code);
    const lines: string[] = [];
    const runner = new FunctionRunner({
      variablesOf: () => ({ AWS_REGION: 'eu-central-1' }),
      log: (name, line) => lines.push(`${name}: ${line}`),
      maxEnvironments,
      startEnvironment: this.#startEnvironment,
    });
    Object.assign(this, { lines });
    this.#directory = directory;
    this.#runner = runner;
    const described = { ...exampleFunction(directory), ...lambda };
    return (event: unknown = {}) =>
      runner.invoke(described, {
        event: JSON.stringify(event),
        requestId: 'request-1',
        invokedArn: 'arn:fn:live',
      });
  }

  async close(): Promise<void> {
    await this.#runner?.close();
    this.#directory?.remove();
    this.#directory = undefined;
  }

  /** @throws Error when there is no line with a text in it after a time */
  async logged(text: string): Promise<void> {
    const untilMs = performance.now() + timeoutMs;
    while (!this.lines.some((line) => line.includes(text))) {
      if (performance.now() > untilMs) throw new Error(`no ${text} in ${this.lines.join('\n')}`);
      await sleep(5);
    }
  }
}

function exampleFunction({ path }: TemporaryDirectory): LambdaFunction {
  return {
    logicalId: 'Fn',
    name: 'fn',
    arn: 'arn:fn',
    codeDirectory: path,
    handler: 'index.handler',
    memorySizeMb: 128,
    timeoutMs: 5_000,
    environment: { OWN: 'value' },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a test's function returns
export async function payloadOf(invoked: Invoked): Promise<any> {
  const result = await invoked;
  if (!('payload' in result)) throw new Error(`no payload: ${JSON.stringify(result)}`);
  return JSON.parse(result.payload);
}

export async function errorOf(invoked: Invoked) {
  const result = await invoked;
  return 'error' in result ? result.error : undefined;
}

export async function streamOf(invoked: Invoked) {
  const result = await invoked;
  if (!('stream' in result)) throw new Error(`no stream: ${JSON.stringify(result)}`);
  return result.stream;
}

export const counting = 'let calls = 0; const id = Math.random();';
export const streaming = (body: string) =>
  `exports.handler = awslambda.streamifyResponse(async (event, output, context) => { ${body} });`;
