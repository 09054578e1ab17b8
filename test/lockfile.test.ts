import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: string | string[];
  readonly cpu?: string | string[];
}

const manifest = readJson('package.json');
const { '': _, ...locked }: Record<string, LockedPackage> = readJson('package-lock.json').packages;
/** A bundled package lies in its parent's archive, which has a hash itself. */
const downloaded = Object.entries(locked).filter(([, { inBundle, link }]) => !inBundle && !link);
const optional: [name: string, version: string][] = Object.entries(manifest.optionalDependencies);

/** docs/adr/0009-dependencies-are-pinned-by-hash.md says why, and how each gets its hash. */
const packagesWithoutHash = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'win32-x64'].map(
  (platform) => `node_modules/@dynoxide/${platform}`,
);

describe('package-lock.json', () => {
  it('has a hash for everything that npm downloads, but for the listed exceptions', () => {
    const missing = downloaded.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));

    expect(missing.map(([path]) => path)).toEqual(packagesWithoutHash);
  });

  it("names no source, so that npm takes its registry's", () => {
    const sources = downloaded.flatMap(([, { resolved }]) => resolved ?? []);

    expect(sources).toEqual([]);
  });

  it('has the version of each optional dependency that package.json asks for', () => {
    const versions = optional.map(([name]) => [name, locked[`node_modules/${name}`]?.version]);

    expect(versions).toEqual(optional);
  });

  it('restricts each optional dependency to the platform that its name says', () => {
    const platforms = optional.map(([name]) => platformOf(name));

    expect(platforms).toEqual(optional.map(([name]) => platformInName(name)));
  });
});

describe('package.json', () => {
  it('brings Node and DynamoDB to the same platforms', () => {
    const names = optional.map(([name]) => name);
    const withDynamodb = names.filter((name) => name.startsWith('@dynoxide/'));
    const withNode = names.filter((name) => name.startsWith('node-'));

    expect(withNode.map(platformOf).sort()).toEqual(withDynamodb.map(platformOf).sort());
  });

  it('asks for one released version of each dependency', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const versions = { ...dependencies, ...devDependencies, ...optionalDependencies };

    const others = Object.entries<string>(versions).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );

    expect(others).toEqual([]);
  });

  it('refuses every install script', () => {
    const withScript = downloaded
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => [path.replace(/^.*node_modules\//, ''), false]);

    expect(manifest.allowScripts).toEqual(Object.fromEntries(withScript));
  });

  it('brings no package that sends statistics when it is installed', () => {
    expect(downloaded.filter(([path]) => path.includes('@scarf/'))).toEqual([]);
  });
});

function readJson(file: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', file), 'utf8'));
}

function platformOf(name: string): string {
  const { os, cpu } = locked[`node_modules/${name}`] ?? {};
  return `${os}-${cpu}`;
}

function platformInName(name: string): string {
  return name.replace(/^(@dynoxide\/|node-bin-|node-)/, '').replace(/^win-/, 'win32-');
}
