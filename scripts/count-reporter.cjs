'use strict';

const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

/** Enough for a message and the place in the test that it came from. */
const LINES_OF_AN_ERROR = 8;

/**
 * Mocha's `spec` reporter, which also says how many tests passed and failed in the words that .ci/run adds up, and writes the numbers, with
 * each failed test and the first lines of its error, as JSON to the file that RMQNS_TEST_COUNT names, if it does.
 */
class CountReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      const told = String(error?.stack ?? error)
        .split('\n')
        .slice(0, LINES_OF_AN_ERROR);
      failures.push([test.fullTitle(), ...told].join('\n    '));
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes: passed, failures: failed, pending } = this.stats;
      process.stdout.write(`${passed} passed, ${failed} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`);
      const file = process.env.RMQNS_TEST_COUNT;
      if (file) writeFileSync(file, `${JSON.stringify({ passed, failed, pending, failures })}\n`);
    });
  }
}

module.exports = CountReporter;
