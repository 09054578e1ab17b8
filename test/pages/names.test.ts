import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { serviceName, serviceTitle } from '../../lambdas/contract/service-name.ts';
import { contractDocument } from '../contract/contract.ts';
import { expectAgreement } from '../helpers/agreement.ts';
import { pages } from './pages.ts';

const constant = 'lambdas/contract/service-name.ts';

describe('The name of the service', () => {
  it('is the title of README.md', () => {
    const [title = ''] = pages.get('README.md')!.split('\n');

    expectAgreement([constant, [`# ${serviceTitle}`]], ['README.md, its title', [title]]);
  });

  it.each([...pages])('begins the name of every stack in %s', (file, page) => {
    const names = [...page.matchAll(/\b([A-Z]\w+)-(?:staging|prod|STAGE|\$STAGE)\b/g)];
    const others = names.flatMap(([stack, name]) => (name === serviceName ? [] : stack));

    expect(others.map((stack) => `${file}: ${stack}, see ${constant}`)).toEqual([]);
  });
});

describe('The version of the contract', () => {
  const { version } = contractDocument.info;

  it.each([
    ['package.json', /"version": "(.+)"/],
    ['CHANGELOG.md', /^## \[([\d.]+)\]/m],
    ['docs/requirements.md', /version of the interface is ([\d.]+\d)/],
  ])('R27: is the version in %s', (file, pattern) => {
    const [, stated = ''] = pattern.exec(readFileSync(file, 'utf8')) ?? [];

    expectAgreement(['openapi.yaml, info.version', [version]], [file, [stated]]);
  });
});
