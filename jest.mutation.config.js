import base from './jest.config.js';

/** The tests that mutation testing runs, which `test/mutation/run.ts` chooses for each file. */
export default {
  ...base,
  // Stryker wraps the environment, and ends its processes itself.
  testEnvironment: 'node',
  testMatch: (process.env.MUTATION_TESTS ?? 'test/lambdas/**/*.test.ts')
    .split(',')
    .map((pattern) => `<rootDir>/${pattern}`),
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: undefined,
  setupFilesAfterEnv: ['<rootDir>/test/mutation/end-on-failure.ts'],
};
