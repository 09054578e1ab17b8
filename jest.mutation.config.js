import { common } from './jest.config.js';

/** The tests that have to notice the changes of `npx stryker run`. */
export default {
  ...common,
  // Stryker wraps the environment, and ends its processes itself.
  testEnvironment: 'node',
  // The explorations of the limiter take longer than a mutant may.
  testMatch: ['<rootDir>/test/lambdas/**/*.test.ts', '!**/interleavings.test.ts'],
  globalSetup: undefined,
};
