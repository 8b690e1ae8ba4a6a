export { type Long, parseInt32, parseLong, toLong } from './json/long.js';
