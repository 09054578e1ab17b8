import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { expectContained } from '../../../test/helpers/agreement.ts';
import { pages, placesIn } from '../../../test/pages/pages.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const checks = globSync(['.ci/*', '.github/workflows/*']);
const script = /\bnpm (?:run (?:--silent )?(?=[a-z])|(?=start\b|test\b))([\w:-]+)/g;

it.each([...pages.keys()])('%s names files and folders of the tools that exist', (page) => {
  const places = placesIn(page).flatMap(({ place }) => (place.startsWith('tools/') ? place : []));

  expect(places.filter((place) => !existsSync(place))).toEqual([]);
});

it.each([...pages.keys(), ...checks])('%s names scripts that exist', (file) => {
  const names = [...readFileSync(file, 'utf8').matchAll(script)].map(([, name]) => name!);

  expectContained([file, names], ['package.json, scripts', Object.keys(scripts)]);
});
