const common = {
  rootDir: import.meta.dirname,
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.cache'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2024',
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
};

/** The kinds that `npm run check` adds to `npm test`, by the files of each. */
const further = {
  /** Start commands as people do, in processes of their own, and wait for them. */
  commands: '**/*.command.test.ts',
  /** Drive a real browser; `CHROMIUM_PATH` says where one is. */
  browser: '**/*.browser.test.ts',
};

const project = (displayName, glob, excluded = []) => ({
  ...common,
  displayName,
  testMatch: [`<rootDir>/${glob}`, ...excluded],
});

const excluded = Object.values(further).map((glob) => `!${glob}`);

/** @type {import('jest').Config} */
export default {
  projects: [
    project('service', 'test/**/*.test.ts', excluded),
    project('tools', 'tools/*/test/**/*.test.ts', excluded),
    project('commands', further.commands),
    project('browser', further.browser),
  ],
  // Enough for the slowest kind on a busy machine. Jest ignores a limit of a single project.
  testTimeout: 120_000,
  // Jest's own default leaves a core idle, which on a small machine is half of it.
  maxWorkers: '100%',
  // Node keeps the modules of every test file, so a worker that holds too much is replaced. A new one compiles
  // all imports again: with half of this limit, the tests take a tenth more processor time.
  workerIdleMemoryLimit: '1GB',
  // On a busy machine a process may need longer to end than the half second of Jest's default.
  workerGracefulExitTimeout: 10_000,
};
