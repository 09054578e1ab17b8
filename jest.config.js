/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/browser/',
    '<rootDir>/test/aws-runtime/',
    '<rootDir>/test/adversity/',
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
  testTimeout: 30_000,
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
};
