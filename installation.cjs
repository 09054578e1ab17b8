// Ends scripts that cannot work: without their packages, or with a Node that cannot load TypeScript. npm and the CDK
// run this file before each of their scripts. `./admin` loads it, and needs no development packages.
const { existsSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const manifests = ['package.json', 'tools/package.json']
  .map((file) => join(__dirname, file))
  .filter(existsSync);
const kinds = require.main === module ? ['dependencies', 'devDependencies'] : ['dependencies'];

/** What is installed of a package, found as Node finds it, also in a folder above this one. */
function installed(manifest, name) {
  const folders = createRequire(manifest).resolve.paths(name);
  const file = folders.map((folder) => join(folder, name, 'package.json')).find(existsSync);
  return file === undefined ? undefined : read(file);
}

const isComplete = manifests.every((manifest) =>
  kinds
    .flatMap((kind) => Object.entries(read(manifest)[kind] ?? {}))
    .every(([name, version]) => installed(manifest, name)?.version === version),
);
const { engines, optionalDependencies } = read(manifests[0]);
const isForThisPlatform = Object.keys(optionalDependencies)
  .map((name) => installed(manifests[0], name))
  .every(
    (found) => !found || (found.os.includes(process.platform) && found.cpu.includes(process.arch)),
  );
const required = Number.parseInt(engines.node.replace(/\D/g, ''), 10);
const { node } = process.versions;

let problem;
if (!isComplete || !isForThisPlatform) {
  problem = `the packages are not installed, or not all of them: run "npm ci --include=dev" in ${__dirname}`;
} else if (Number.parseInt(node, 10) < required) {
  problem = `Node ${node} is too old: install Node ${required} or later, or npm 11.6.2 or later (npm install --global npm@11), and then run npm ci`;
}
if (problem) {
  console.error(`error: ${problem}`);
  process.exit(1);
}
