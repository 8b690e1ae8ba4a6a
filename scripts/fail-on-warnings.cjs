// A root hook of mocha: a test during which the process warned has failed, be it of listeners that pile up, a timer that cannot be, or
// something deprecated. Warnings of this project's own are for the tests that expect them.
const warnings = [];
process.on('warning', (warning) => {
  if (!String(warning.code).startsWith('RMQNS_')) warnings.push(warning);
});

exports.mochaHooks = {
  afterEach() {
    const [first] = warnings.splice(0);
    if (first !== undefined) throw new Error(`the process warned: ${first.stack ?? first.message}`);
  },
};
