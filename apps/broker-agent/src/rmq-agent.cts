#!/usr/bin/env node
// Names that DNS does not answer each take a thread of the pool, half of which at most looks up names: with four threads, as is the
// default, two such names keep every other one waiting. The size counts only before the pool is first used, which the loader of ES
// modules does before any of them runs; hence this CommonJS module.
process.env['UV_THREADPOOL_SIZE'] ||= '64';
void import('./main.js');
