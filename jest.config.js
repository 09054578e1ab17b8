/** How the tests are named that start commands in processes of their own: `npm run test:commands`. */
export const commandTests = '.command.test.ts';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/helpers/quick-exit-environment.js',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/browser/',
    '<rootDir>/test/aws-runtime/',
    '<rootDir>/test/adversity/',
    `${commandTests.replaceAll('.', '\\.')}$`,
  ],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.cache'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  // Jest's own default leaves a core idle, which on a small machine is half of it.
  maxWorkers: '100%',
  // Node keeps the modules of every test file, those of the CDK above all: a worker that holds too
  // much of them would be slow to end, and is replaced before.
  workerIdleMemoryLimit: '512MB',
  // On a busy machine a process may need longer to end than the half second of Jest's default.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 30_000,
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
};
