'use strict';

const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

/**
 * Mocha's `spec` reporter, which also says how many tests passed and failed in the words that .ci/run adds up, and writes the numbers as JSON
 * to the file that RMQNS_TEST_COUNT names, if it does.
 */
class CountReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes: passed, failures: failed, pending } = this.stats;
      process.stdout.write(`${passed} passed, ${failed} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`);
      const file = process.env.RMQNS_TEST_COUNT;
      if (file) writeFileSync(file, `${JSON.stringify({ passed, failed, pending })}\n`);
    });
  }
}

module.exports = CountReporter;
