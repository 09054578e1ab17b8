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
  ['admin', [/ -lt \d+/.exec(readFileSync('admin', 'utf8'))![0]]],
];

it.each(places)('%s is the major version in .nvmrc', (place, versions) => {
  const majors = versions.map((version) => /\d+/.exec(version)![0]);

  const expected = readFileSync('.nvmrc', 'utf8').trim();

  expectAgreement(['.nvmrc', [expected]], [place, majors]);
});

describe('everything of npm and the CDK that runs TypeScript', () => {
  const { app } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const scripts = Object.entries<string>({ ...manifest.scripts, cdk: app }).filter(([, script]) =>
    /\bnode .*(\.ts|jest)/.test(script),
  );

  it.each(scripts)('checks the installation first: %s', (_, script) => {
    expect(script).toMatch(/^node installation\.cjs && /);
  });

  it.each([
    ['20.20.2', 1, /^error: Node 20\.20\.2 is too old: install Node 24 or later, .*\n$/],
    ['24.0.0', 0, /^$/],
  ])('with Node %s, ends with code %i', (version, exitCode, message) => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); require('./installation.cjs')`;

    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });

    expect(status).toBe(exitCode);
    expect(stderr).toMatch(message);
  });

  it.each([
    ['ends without a message if all packages are there', {}, process.platform, 0],
    ['asks for npm ci if a package is missing', { gone: '1.0.0' }, process.platform, 1],
    ['asks for npm ci after a change of a version', { one: '1.0.1' }, process.platform, 1],
    ['asks for npm ci in a folder of another platform', {}, 'sunos', 1],
  ])('%s', (_, devDependencies, platform, exitCode) => {
    const found = { version: '1.0.0', os: [platform], cpu: [process.arch] };
    mkdirSync(join(directory.path, 'node_modules/one'), { recursive: true });
    directory.write('node_modules/one/package.json', JSON.stringify(found));
    const { engines } = manifest;
    const own = { engines, devDependencies, optionalDependencies: { one: '1.0.0' } };
    directory.write('package.json', JSON.stringify(own));
    const script = directory.write('installation.cjs', readFileSync('installation.cjs'));

    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });

    expect(status).toBe(exitCode);
    expect(stderr).toMatch(
      exitCode === 0 ? /^$/ : /^error: .*: run "npm ci --include=dev" in .*\n$/,
    );
  });
});
