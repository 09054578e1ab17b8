const { TestEnvironment } = require('jest-environment-node');

/** Skips the rest of a test file after its first failure, which has noticed the mutant. */
module.exports = class UntilFailureEnvironment extends TestEnvironment {
  #hasFailed = false;

  /** @param {import('@jest/types').Circus.Event} event */
  handleTestEvent(event) {
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') this.#hasFailed = true;
    if (event.name === 'test_start' && this.#hasFailed) event.test.mode = 'skip';
  }
};
