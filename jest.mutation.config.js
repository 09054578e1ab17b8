import { common } from './jest.config.js';

/** The tests that have to notice the changes of Stryker. */
export default {
  ...common,
  // The explorations of the limiter take longer than a mutant may.
  testMatch: ['<rootDir>/test/lambdas/**/*.test.ts', '!**/interleavings.test.ts'],
  globalSetup: undefined,
  testEnvironment: `${import.meta.dirname}/test/helpers/until-failure-environment.cjs`,
  // A test that a mutant lets wait for ever fails, long before the runner would have to be started anew.
  testTimeout: 10_000,
};
