import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bundlingOptions } from '../lib/functions/bundling.ts';
import { expectAgreement } from './helpers/agreement.ts';
import { stageNames } from './helpers/synthesized.ts';
import { temporaryDirectoryOfEachTest } from './helpers/temporary-directory.ts';
import { properties } from './lib/readable.ts';

const directory = temporaryDirectoryOfEachTest();
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** The places that state the version of Node for the functions, the tests and CI, each in its own form. */
const places: [place: string, versions: string[]][] = [
  ['package.json, engines', [manifest.engines.node]],
  ['package.json, @types/node', [manifest.devDependencies['@types/node']]],
  [
    'package.json, optionalDependencies',
    Object.entries<string>(manifest.optionalDependencies)
      .filter(([name]) => name.startsWith('node-'))
      .map(([, version]) => version),
  ],
  [
    'lib/functions/api-function.ts, runtime',
    stageNames.flatMap((stage) =>
      Object.values(properties(stage, 'AWS::Lambda::Function')).map(({ Runtime }) => Runtime),
    ),
  ],
  ['lib/functions/bundling.ts, target', [String(bundlingOptions.target)]],
  ['admin', [/ >= \d+/.exec(readFileSync('admin', 'utf8'))![0]]],
];

it.each(places)('%s is the major version in .nvmrc', (place, versions) => {
  const majors = versions.map((version) => /\d+/.exec(version)![0]);

  const expected = readFileSync('.nvmrc', 'utf8').trim();

  expectAgreement(['.nvmrc', [expected]], [place, majors]);
});

/** The option is also known to Node 24.0. */
const typesOff = '--no-experimental-strip-types';

describe('everything of npm and the CDK that runs TypeScript', () => {
  const { app } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const scripts = Object.entries<string>({ ...manifest.scripts, cdk: app }).filter(([, script]) =>
    /\bnode .*(\.ts|jest)/.test(script),
  );

  it.each(scripts)('checks the installation first: %s', (_, script) => {
    const needsBinaries = /\b(jest|(local|bench)\/run|app)\b/.test(script);

    expect(script.startsWith(`node installation.cjs${needsBinaries ? ' optional' : ''} && `)).toBe(
      true,
    );
  });

  it.each([
    // It runs TypeScript, but does not know `using`.
    ['22.18.0', [], '', 'error: Node 22.18.0 cannot run this TypeScript: install Node 24 or later'],
    ['24.0.0', [typesOff], '', 'error: Node 24.0.0 cannot run this TypeScript'],
    ['24.0.0', [], typesOff, `error: remove ${typesOff} from NODE_OPTIONS`],
    ['24.0.0', [], '', ''],
  ])('with Node %s %j %s, prints: %s', (version, options, NODE_OPTIONS, message) => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); require('./installation.cjs')`;

    const { status, stderr } = spawnSync(process.execPath, [...options, '-e', script], {
      env: { NODE_OPTIONS },
      encoding: 'utf8',
    });

    expect([status, stderr.split('\n').length]).toEqual(message ? [1, 2] : [0, 1]);
    expect(stderr.startsWith(message)).toBe(true);
  });

  it.each([
    ['ends without a message if all packages are there', {}, 'optional', 0],
    ['asks for npm ci if a package is missing', { gone: '1.0.0' }, '', 1],
    ['asks for npm ci after a change of a version', { one: '1.0.1' }, '', 1],
    ['asks for npm ci if a package of this platform was omitted', {}, 'optional omitted', 1],
    ['needs no package of this platform for ./admin and smoke', {}, 'omitted', 0],
  ])('%s', (_, devDependencies, words, exitCode) => {
    const ofThisPlatform = `binary-${process.platform}-${process.arch}`;
    for (const name of words.includes('omitted') ? ['one'] : ['one', ofThisPlatform]) {
      mkdirSync(join(directory.path, 'node_modules', name), { recursive: true });
      directory.write(`node_modules/${name}/package.json`, '{"version":"1.0.0"}');
    }
    const { engines } = manifest;
    const optionalDependencies = { [ofThisPlatform]: '1.0.0', 'binary-sunos-x64': '1.0.0' };
    const own = {
      engines,
      devDependencies: { one: '1.0.0', ...devDependencies },
      optionalDependencies,
    };
    directory.write('package.json', JSON.stringify(own));
    const script = directory.write('installation.cjs', readFileSync('installation.cjs'));

    const { status, stderr } = spawnSync(process.execPath, [script, ...words.split(' ')], {
      encoding: 'utf8',
    });

    expect(status).toBe(exitCode);
    expect(stderr).toMatch(
      exitCode === 0 ? /^$/ : /^error: .*: run "npm ci --include=dev --include=optional" in .*\n$/,
    );
  });
});
