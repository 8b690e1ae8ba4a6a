/** How many topics a broker may register at once: five times what the largest frame holds as JSON. */
export const MAX_TOPICS = 500_000;
