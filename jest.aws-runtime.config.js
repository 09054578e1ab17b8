import base from './jest.config.js';

/** The tests that run functions under AWS's own runtime interface client, which is built for them. */
export default {
  ...base,
  testMatch: ['<rootDir>/test/aws-runtime/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/aws-runtime/global-setup.ts',
};
