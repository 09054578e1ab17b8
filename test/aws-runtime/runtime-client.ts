import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const project = join(import.meta.dirname, 'client');
const builds = join(import.meta.dirname, '../../.cache/aws-lambda-ric');

/**
 * Builds AWS's runtime interface client for Node, unless it is built already. Returns the file with which Lambda starts
 * Node.
 *
 * The client comes as source, with archives of curl and a C++ library, and is compiled when npm installs
 * it. So it is installed apart from the project's own dependencies, which run no install scripts, once
 * for each version of the client and of Node and for each architecture.
 *
 * @throws Error with the output of the build if the build fails
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

/** Builds the client, and moves the complete client to its place, so that an interrupted build is never used. */
function build(directory: string): void {
  const workplace = `${directory}.${process.pid}`;
  mkdirSync(builds, { recursive: true });
  cpSync(project, workplace, { recursive: true });
  // Under `npm test`, the environment has the setting of the project's .npmrc to run no scripts.
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

/** The header files of the running Node. Without them, npm would download header files. */
function nodeHeaders(): Record<string, string> {
  const directory = dirname(dirname(process.execPath));
  return existsSync(join(directory, 'include/node/node.h'))
    ? { npm_config_nodedir: directory }
    : {};
}
