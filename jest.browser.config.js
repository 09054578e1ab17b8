import base from './jest.config.js';

/** The tests that drive a real browser; `CHROMIUM_PATH` says where one is. */
export default {
  ...base,
  testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 60_000,
  // They start the service from its sources, not from a template synthesized beforehand.
  globalSetup: undefined,
};
