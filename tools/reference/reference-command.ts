import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { reportFailure } from '../admin/failure-report.ts';
import { connect } from '../admin/stage/stage-connection.ts';
import { parseCommandLine } from '../shared/command-line.ts';
import { InvalidValueError, OperatorError, reasonOf } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { referenceFiles } from './page-document.ts';

interface ReferenceOptions {
  readonly stage?: string;
  readonly url?: string;
  readonly out?: string;
}

const helpAfter = `
Examples:
  npm run reference -- --stage staging --out reference-staging
  npm run reference -- --url https://api.example.com/v1 --out reference-prod

--stage finds the address in the outputs of the stage's stack, with the credentials and Region of the
environment. Files of the same names in the folder are replaced.`;

/**
 * Writes the API reference of a stage into a folder.
 *
 * @param words the arguments of the command line
 * @returns the exit code
 */
export async function referenceCommand(words: readonly string[]): Promise<number> {
  try {
    await run(words);
    return 0;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${printable(error.message)}\n`);
    return 1;
  }
}

async function run(words: readonly string[]): Promise<void> {
  const command = new Command('npm run reference --')
    .description('Writes the API reference of a stage as static files.')
    .option('--stage <stage>', 'deployed stage to describe')
    .option('--url <base>', 'its base URL instead, with the version: …/v1')
    .option('--out <dir>', 'folder to write to, created if it is not there')
    .addHelpText('after', helpAfter);
  const options = parseCommandLine<ReferenceOptions>(command, words);
  if (options === undefined) return;
  if (!options.out) throw new OperatorError('--out is missing: name the folder to write to');
  const baseUrl = await baseUrlOf(options);
  write(options.out, await staticReference(baseUrl));
  process.stdout.write(`Wrote the reference of ${baseUrl} to ${join(options.out, 'index.html')}\n`);
}

/**
 * Builds the API reference of a stage as files that a web server can serve and a browser can open from
 * a disk. They contain no key. The page's content security policy ensures that it loads nothing else
 * and sends requests to the stage only.
 *
 * @param baseUrl the URL of the API with its version: `https://…/v1`
 * @returns the contents of the files by name
 */
export async function staticReference(baseUrl: string): Promise<Readonly<Record<string, string>>> {
  const files = Object.entries(referenceFiles({ baseUrl }));
  const built = files.map(async ([name, build]) => [name, await build()]);
  return Object.fromEntries(await Promise.all(built));
}

async function baseUrlOf({ stage, url }: ReferenceOptions): Promise<string> {
  if ((stage === undefined) === (url === undefined)) {
    throw new OperatorError('Say which stage: exactly one of --stage STAGE and --url BASE_URL');
  }
  if (url === undefined) {
    const { baseUrl } = await connect({ stage }, Date.now).catch((cause) => {
      const { message, remedy } = reportFailure(cause, { stage }, process.env);
      throw new OperatorError([message, remedy].filter(Boolean).join('; '), { cause });
    });
    return baseUrl;
  }
  const parsed = URL.parse(url);
  const address = `${parsed?.origin}${parsed?.pathname.replace(/\/$/, '')}`;
  if (/^https?:\/\/[^']+\/v1$/.test(address)) return address;
  throw new InvalidValueError('--url', url, "the stage's base URL, https://…/v1");
}

function write(directory: string, files: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(directory, { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(directory, name), content);
    }
  } catch (cause) {
    throw new OperatorError(`--out: ${directory} cannot be written (${reasonOf(cause)})`, {
      cause,
    });
  }
}
