/**
 * What every benchmark program does around its work: tells what is wrong with its arguments and ends with 2, prints its usage, and gives up
 * rather than hang.
 *
 * @template {{ help: boolean }} Options
 * @param {{ name: string, usage: string, parse: (args: string[]) => Options, mostMinutes?: number,
 *   run: (options: Options, tell: (line: string) => void) => Promise<void> }} program
 *   `parse` throws an Error that says what is wrong; `tell` writes to stderr, so that stdout is the result alone
 */
export async function runProgram({ name, usage, parse, mostMinutes, run }) {
  const tell = (line) => void process.stderr.write(`${name}: ${line}\n`);
  let options;
  try {
    options = parse(process.argv.slice(2));
  } catch (error) {
    tell(error.message);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  if (mostMinutes !== undefined) {
    const giveUp = () => {
      tell(`gave up after ${mostMinutes} minutes`);
      process.exit(1);
    };
    setTimeout(giveUp, mostMinutes * 60_000).unref();
  }
  await run(options, tell);
}
