// Ends scripts that cannot work: without their packages, or with a Node that cannot load TypeScript. npm and the CDK
// run this file before each of their scripts. `./admin` loads it, and needs no development packages. With the word
// `optional`, a script also needs the binaries for this platform, which npm can omit.
const { existsSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const manifests = ['package.json', 'tools/package.json']
  .map((file) => join(__dirname, file))
  .filter(existsSync);

/** The installed version of a package, found as Node finds it, also in a folder above this one. */
function installed(manifest, name) {
  const folders = createRequire(manifest).resolve.paths(name);
  const file = folders.map((folder) => join(folder, name, 'package.json')).find(existsSync);
  return file && read(file).version;
}

const isScript = require.main === module;
const isComplete = manifests.every((manifest) => {
  const { dependencies, devDependencies, optionalDependencies } = read(manifest);
  const binaries = Object.entries(optionalDependencies ?? {}).filter(([name]) =>
    name.endsWith(`${process.platform}-${process.arch}`),
  );
  return [
    ...Object.entries(dependencies ?? {}),
    ...Object.entries((isScript && devDependencies) || {}),
    ...(process.argv[2] === 'optional' ? binaries : []),
  ].every(([name, version]) => installed(manifest, name) === version);
});
const required = Number.parseInt(read(manifests[0]).engines.node.replace(/\D/g, ''), 10);
const { node } = process.versions;
const isNew = Number.parseInt(node, 10) >= required;
const typesOff = /--no-(experimental-)?strip-types/.exec(process.env.NODE_OPTIONS)?.[0];

let problem;
if (!isComplete) {
  problem = `the packages are not installed, or not all of them: run "npm ci --include=dev --include=optional" in ${__dirname}`;
} else if (isNew && !process.features.typescript && typesOff) {
  problem = `remove ${typesOff} from NODE_OPTIONS, because it turns TypeScript off`;
} else if (!isNew || !process.features.typescript) {
  problem = `Node ${node} cannot run this TypeScript: install Node ${required} or later from nodejs.org, or npm 11.6.2 or later (npm install --global npm@11), and then run npm ci`;
}
if (problem) {
  console.error(`error: ${problem}`);
  process.exit(1);
}
