// Older versions of Node cannot load the scripts, which are written in TypeScript. npm and the CDK run this file before each.
const required = Number.parseInt(require('./package.json').engines.node.replace(/\D/g, ''), 10);
const { node } = process.versions;

if (Number.parseInt(node, 10) < required) {
  console.error(
    `Node ${node} is too old: install Node ${required} or later, or npm 11.6.2 or later (npm install --global npm@11), and then run npm ci`,
  );
  process.exit(1);
}
