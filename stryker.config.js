/* For `npm run nightly -- mutation`: what deploys is changed one place at a time, and its tests have to notice. */

/**
 * Leaves out what is computed once, when a module is loaded: it is reached by all tests that import the
 * module, but would be tried with those alone that happen to import it while they run.
 */
const loadedOnce = {
  shouldIgnore(path) {
    const isLater = (each) =>
      each.isFunction() || each.isClassProperty() || each.isClassPrivateProperty();
    let holdsLater = path.find(isLater) !== null;
    path.traverse({
      enter(inner) {
        if (!isLater(inner)) return;
        holdsLater = true;
        inner.stop();
      },
    });
    return holdsLater ? undefined : 'It is computed once, when its module is loaded.';
  },
};

export const strykerPlugins = [{ kind: 'Ignore', name: 'loaded-once', value: loadedOnce }];

export default {
  mutate: ['lambdas/**/*.ts'],
  testRunner: 'jest',
  // The second one is this file, for the `strykerPlugins` that it exports.
  plugins: ['@stryker-mutator/jest-runner', './stryker.config.js'],
  jest: { configFile: 'jest.mutation.config.js' },
  // Jest runs tests as ES modules only with this option.
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  ignorers: ['loaded-once'],
  ignoreStatic: true,
  thresholds: { high: 95, low: 90, break: 90 },
  concurrency: 2,
  timeoutMS: 5_000,
  // Stryker 10 reads tsconfig.json with an interface that TypeScript 7 no longer has, and no test needs the file.
  ignorePatterns: ['.cache', '.ci', '.git', '.github', 'cdk.out', 'tsconfig.json'],
  tempDirName: '.cache/stryker',
  cleanTempDir: 'always',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: '.cache/mutation/mutation.json' },
};
