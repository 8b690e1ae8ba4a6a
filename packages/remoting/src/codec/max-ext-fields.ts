/**
 * How many ext fields a command may come with; it has some ten. An object of as many as fit into a frame takes seconds to make, in which nobody
 * else is served.
 */
export const MAX_EXT_FIELDS = 16_384;
