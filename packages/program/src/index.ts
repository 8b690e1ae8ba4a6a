export { createCommandLine, parseCommandLine, wrongArguments } from './command-line.js';
export { endOnSignal } from './end-on-signal.js';
export { Exit } from './exit.js';
export { ExitCode } from './exit-code.js';
export { describeFileError } from './file-error.js';
export { type LogOptions, openLog, type ProgramLog } from './log.js';
export { packageVersion } from './package-version.js';
export { runProgram } from './run-program.js';
export { readAssignment, type Setting } from './setting.js';
