/* For `npm run mutation`, whose `test/mutation/run.ts` calls Stryker for one file after the other. */

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { configFile: 'jest.mutation.config.js', enableFindRelatedTests: false },
  // Jest runs tests as ES modules only with this option.
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  // A mutant is tried with the tests that reach it, and with no others.
  coverageAnalysis: 'perTest',
  // The other core is for the tests themselves, some of which talk to a server of their own.
  concurrency: 1,
  timeoutMS: 5_000,
  ignorePatterns: ['.cache', '.ci', '.git', '.github', 'cdk.out', 'docs/**/*.svg', 'reference-*'],
  tempDirName: '.cache/stryker',
  cleanTempDir: 'always',
  reporters: ['json'],
  jsonReporter: { fileName: '.cache/mutation/mutation.json' },
};
