import { common } from './jest.config.js';

/** The tests that have to notice the changes of `npx stryker run`. */
export default {
  ...common,
  // The explorations of the limiter take longer than a mutant may.
  testMatch: ['<rootDir>/test/lambdas/**/*.test.ts', '!**/interleavings.test.ts'],
  globalSetup: undefined,
  // The first run, which measures what each test reaches, takes longer than Jest's default allows.
  testTimeout: 120_000,
};
