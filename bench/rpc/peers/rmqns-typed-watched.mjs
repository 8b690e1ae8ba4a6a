import { rmqns } from './rmqns.mjs';

export const { traits, listen, connect } = rmqns({ typed: true, watched: true });
