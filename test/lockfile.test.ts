import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
}

const manifest = readJson('package.json');
const workspaces: string[] = manifest.workspaces ?? [];
const { '': _, ...locked }: Record<string, LockedPackage> = readJson('package-lock.json').packages;
/** A bundled package is in its parent's archive, which has a hash itself. A workspace is in the repository. */
const downloaded = Object.entries(locked).filter(
  ([path, { inBundle, link }]) => path.includes('node_modules/') && !inBundle && !link,
);
const required = [manifest, ...workspaces.map((folder) => readJson(`${folder}/package.json`))]
  .flatMap((each) => [each.dependencies, each.devDependencies, each.optionalDependencies])
  .flatMap((versions) => Object.entries<string>(versions ?? {}));

/** The packages without a hash. docs/adr/0009-dependencies-are-pinned-by-hash.md has the reasons. */
const packagesWithoutHash = ['darwin-arm64', 'darwin-x64', 'linux-arm64'].map(
  (platform) => `node_modules/@dynoxide/${platform}`,
);

describe('package-lock.json', () => {
  it('has a hash for everything that npm downloads, except those listed here', () => {
    const missing = downloaded.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));

    expect(missing.map(([path]) => path)).toEqual(packagesWithoutHash);
  });

  it('names no download address, so that npm uses its configured registry', () => {
    const sources = downloaded.flatMap(([, { resolved }]) => resolved ?? []);

    expect(sources).toEqual([]);
  });
});

it('package.json requires one released version of each dependency', () => {
  const others = required.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));

  expect(others).toEqual([]);
});

it('.npmrc lets no package run a script during its installation', () => {
  expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
});

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
