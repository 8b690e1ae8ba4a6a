#!/usr/bin/env node
import { favourMainThread } from './helper-threads.js';
import { boundYoungGeneration } from './young-generation.js';

favourMainThread();
boundYoungGeneration();
// Only now: to load the modules alone makes it grow to 16 MiB.
await import('./mqnamesrv.js');
