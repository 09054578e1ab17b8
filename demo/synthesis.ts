import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stackName } from '../lib/settings/names.ts';
import type { StageName } from '../lib/settings/stages.ts';
import { OperatorError } from '../shared/errors.ts';
import { createRunDirectory } from './run-directory.ts';

/** A stage's synthesized stack. */
export interface Synthesis {
  readonly stackName: string;
  /** The folder for the files of this run, which is removed with it. */
  readonly directory: string;
  /** Resolves with the template's path when it has been synthesized. */
  readonly templateFile: Promise<string>;
  /** Removes the files. */
  remove(): void;
}

const root = join(import.meta.dirname, '..');
const parent = join(root, '.cache/local');

// Lines of a stack outside of this repository, and those that Node puts around an uncaught error.
const internals = new RegExp(
  [
    String.raw`^ +at .*(?:node:|node_modules).*\n`,
    String.raw`^(?:node:internal|/.*/node_modules)/.*:\d+\n(?: .*\n)*`,
    String.raw`^(?: {2}\w+: .*\n)+\}\n`,
    String.raw`^Node\.js v\d.*\n`,
  ].join('|'),
  'gm',
);

/**
 * Synthesizes the stack of a stage with the CDK app, in a separate process that frees the CDK's memory
 * when it ends. Each run has its own folder.
 */
export function synthesize(stage: StageName, signal: AbortSignal): Synthesis {
  const { path: directory, remove } = createRunDirectory(parent);
  const name = stackName(stage);
  return {
    stackName: name,
    directory,
    templateFile: runApp(stage, directory, signal).then(() =>
      join(directory, `${name}.template.json`),
    ),
    remove,
  };
}

async function runApp(stage: StageName, directory: string, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, ['bin/app.ts'], {
    cwd: root,
    env: { ...process.env, CDK_OUTDIR: directory, STORE_ORDERS_STAGE: stage },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  process.stderr.write(withoutInternals(said));
  if (code !== 0) throw new OperatorError('the template could not be synthesized; see above');
}

/** The lines of an error that help somebody who edits the stack, without the frames in Node and packages. */
export function withoutInternals(text: string): string {
  return text.replaceAll(internals, '').replaceAll(/\n{3,}/g, '\n\n');
}
