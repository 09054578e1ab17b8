import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { serviceName, serviceRealm, serviceTitle } from '../lambdas/contract/service-name.ts';
import { stackName } from '../lib/settings/names.ts';
import type { StageName } from '../lib/settings/stages.ts';
import { contractDocument } from './contract/contract.ts';
import { expectAgreement } from './helpers/agreement.ts';
import { pages } from './pages/pages.ts';

const constant = 'lambdas/contract/service-name.ts';

const underscored = serviceRealm.replaceAll('-', '_');
const names = [serviceTitle, serviceName, serviceRealm, underscored, underscored.toUpperCase()];

/** The files that somebody edits by hand. CONTRIBUTING.md lists them, except the file with the constant. */
const editedByHand =
  /^(lambdas\/contract\/service-name\.ts|tools\/examples\/.*|(tools\/)?package(-lock)?\.json|\.github\/workflows\/deploy-stage\.yml)$/;

it('the name of the service is in one file, and in the files that somebody edits by hand', () => {
  const files = globSync(
    ['{bin,lib,lambdas,test,tools,.github,docs/iam}/**/*.*', '*.{json,js,cjs}', 'admin'],
    { exclude: (name) => name === 'node_modules' },
  );
  const named = files.filter((file) => {
    const text = editedByHand.test(file) ? '' : readFileSync(file, 'utf8');
    return names.some((name) => text.includes(name));
  });

  expect(files.length).toBeGreaterThan(100);
  expect(named).toEqual([]);
});

it.each([
  ['openapi.yaml, info.title', contractDocument.info.title],
  ['README.md, its title', /^# (.*)/.exec(pages.get('README.md')!)?.[1]],
])('the name of the service is in %s', (place, title: string) => {
  expectAgreement([constant, [serviceTitle]], [place, [title]]);
});

it.each([...pages])(
  'the name of the service begins the name of every stack in %s',
  (file, page) => {
    const names = [...page.matchAll(/\b([A-Z]\w+)-(?:staging|prod|STAGE|\$STAGE)\b/g)];
    const others = names.flatMap(([stack, name]) => (name === serviceName ? [] : stack));

    expect(others.map((stack) => `${file}: ${stack}, see ${constant}`)).toEqual([]);
  },
);

it('the workflow that deploys a stage takes the name of the stack from one variable', () => {
  const { deploy } = parse(readFileSync('.github/workflows/deploy-stage.yml', 'utf8')).jobs;

  expect(deploy.env.STACK).toBe(stackName('${{ inputs.stage }}' as StageName));
  expect(JSON.stringify(deploy.steps)).not.toContain(serviceName);
});
