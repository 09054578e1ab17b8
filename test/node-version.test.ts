import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { bundlingOptions } from '../lib/functions/bundling.ts';
import { differences } from './helpers/differences.ts';
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

  expect(differences(['.nvmrc', [expected]], [place, majors])).toEqual([]);
});
