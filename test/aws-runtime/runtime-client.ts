import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const project = join(import.meta.dirname, 'client');
const builds = join(import.meta.dirname, '../../.cache/aws-lambda-ric');

/**
 * AWS's runtime interface client for Node, ready to run: the file that Lambda's Node is started with.
 *
 * It comes as source, with curl and a C++ library in archives of its own, and is compiled when npm
 * installs it. So it is installed apart from the project's own dependencies, which run no install
 * scripts, once for each version, Node and architecture.
 *
 * @throws Error when it cannot be built, with what the build wrote
 */
export function runtimeClient(): string {
  const directory = join(builds, buildName());
  const file = join(directory, 'node_modules/aws-lambda-ric/index.mjs');
  if (!existsSync(file)) build(directory);
  return file;
}

function buildName(): string {
  const lockfile = readFileSync(join(project, 'package-lock.json'));
  const digest = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
  return `${process.version}-${process.arch}-${digest}`;
}

/** It is moved to its place when it is complete, so that an interrupted build is never used. */
function build(directory: string): void {
  const workplace = `${directory}.${process.pid}`;
  mkdirSync(builds, { recursive: true });
  cpSync(project, workplace, { recursive: true });
  // Under `npm test` the environment carries what the project's .npmrc says, which is to run no scripts.
  const options = ['--no-audit', '--no-fund', '--ignore-scripts=false', '--foreground-scripts'];
  const install = spawnSync('npm', ['ci', ...options], {
    cwd: workplace,
    env: { ...process.env, ...nodeHeaders() },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (install.status !== 0) {
    throw new Error(`aws-lambda-ric does not build:\n${install.stdout}${install.stderr}`);
  }
  rmSync(directory, { recursive: true, force: true });
  renameSync(workplace, directory);
}

/** The header files of the Node that runs this, which came with it: else they would be downloaded. */
function nodeHeaders(): Record<string, string> {
  const directory = dirname(dirname(process.execPath));
  return existsSync(join(directory, 'include/node/node.h'))
    ? { npm_config_nodedir: directory }
    : {};
}
