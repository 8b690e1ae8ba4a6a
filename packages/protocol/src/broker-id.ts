/** The broker id of a group's master; slaves have larger ids (upstream: `MixAll.MASTER_ID`). */
export const MASTER_ID = 0;
