/* For `npx stryker run`: what deploys is changed one place at a time, and its tests have to notice. */

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['lambdas/**/*.ts'],
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { configFile: 'jest.mutation.config.js' },
  // Jest runs tests as ES modules only with this option.
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  // A mutant is tried with the tests that reach it, and with no others.
  coverageAnalysis: 'perTest',
  // What is computed once, when a module is loaded, is reached by all tests that import it: a fifth of the
  // mutants would take three fifths of the time, and all together more than the night has.
  ignoreStatic: true,
  thresholds: { high: 95, low: 90, break: 90 },
  concurrency: 2,
  timeoutMS: 5_000,
  ignorePatterns: ['.cache', '.ci', '.git', '.github', 'cdk.out', 'reference-*'],
  tempDirName: '.cache/stryker',
  cleanTempDir: 'always',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: '.cache/mutation/mutation.json' },
};
