#!/usr/bin/env node
import { boundYoungGeneration } from './young-generation.js';

boundYoungGeneration();
// Only now: to load the modules alone makes it grow to 16 MiB.
await import('./mqnamesrv.js');
