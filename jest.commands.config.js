import base, { commandTests } from './jest.config.js';

/** The tests that start commands as people do, in processes of their own, and wait for them. */
export default {
  ...base,
  testMatch: [`<rootDir>/test/**/*${commandTests}`],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 60_000,
};
