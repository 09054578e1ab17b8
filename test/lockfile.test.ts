import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly os?: string | string[];
  readonly cpu?: string | string[];
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
const optional = Object.keys(manifest.optionalDependencies);

/** docs/adr/0009-dependencies-are-pinned-by-hash.md gives the reasons, and the way to get each hash. */
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

  it('restricts each optional dependency to the platform that its name says', () => {
    expect(optional.map(platformOf)).toEqual(optional.map(platformInName));
  });
});

describe('package.json', () => {
  it('installs Node and DynamoDB on the same platforms', () => {
    const withDynamodb = optional.filter((name) => name.startsWith('@dynoxide/'));
    const withNode = optional.filter((name) => name.startsWith('node-'));

    expect(withNode.map(platformOf).sort()).toEqual(withDynamodb.map(platformOf).sort());
  });

  it('requires one released version of each dependency', () => {
    const others = required.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));

    expect(others).toEqual([]);
  });

  it('lists no package that tools/package.json lists too', () => {
    const names = required.map(([name]) => name);

    expect(names).toEqual([...new Set(names)]);
  });
});

it('.npmrc lets no package run a script during its installation', () => {
  expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
});

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function platformOf(name: string): string {
  const { os, cpu } = locked[`node_modules/${name}`] ?? {};
  return `${os}-${cpu}`;
}

function platformInName(name: string): string {
  return name.replace(/^(@dynoxide\/|node-bin-|node-)/, '');
}
