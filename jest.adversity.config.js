import base from './jest.config.js';

/**
 * The tests that attack the service: faults, races, wild input, a key that must not leak. They take
 * longer than others; `ADVERSITY=nightly` makes them take much longer still.
 */
export default {
  ...base,
  testMatch: ['<rootDir>/test/adversity/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
};
