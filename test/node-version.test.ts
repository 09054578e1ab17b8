import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bundlingOptions } from '../lib/functions/bundling.ts';
import { expectAgreement } from './helpers/agreement.ts';
import { stageNames } from './helpers/synthesized.ts';
import { properties } from './lib/readable.ts';

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
];

it.each(places)('%s is the major version in .nvmrc', (place, versions) => {
  const majors = versions.map((version) => /\d+/.exec(version)![0]);

  const expected = readFileSync('.nvmrc', 'utf8').trim();

  expectAgreement(['.nvmrc', [expected]], [place, majors]);
});

describe('everything of npm and the CDK that runs TypeScript', () => {
  const { app } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const scripts = Object.entries<string>({ ...manifest.scripts, cdk: app }).filter(([, script]) =>
    /\bnode .*(\.ts|jest\.js)/.test(script),
  );

  it.each(scripts)('checks the version of Node first: %s', (_, script) => {
    expect(script).toMatch(/^node node-version\.cjs && /);
  });

  it.each([
    ['20.20.2', 1, /^Node 20\.20\.2 is too old: install Node 24 or later, .*\n$/],
    ['24.0.0', 0, /^$/],
  ])('with Node %s, ends with code %i', (version, exitCode, message) => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); require('./node-version.cjs')`;

    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });

    expect(status).toBe(exitCode);
    expect(stderr).toMatch(message);
  });
});
