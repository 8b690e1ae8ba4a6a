/** The text of a broker's topics.json, as 5.3.3 writes it but for blanks. */
export function topicsJsonText(topics: readonly string[], counter: number, timestamp = 1_700_000_000_000): string {
  const table = topics.map((topicName) => [
    topicName,
    {
      attributes: {},
      order: false,
      perm: 6,
      readQueueNums: 4,
      topicFilterType: 'SINGLE_TAG',
      topicName,
      topicSysFlag: 0,
      writeQueueNums: 4,
    },
  ]);
  const dataVersion = { counter, stateVersion: 0, timestamp };
  return JSON.stringify({ dataVersion, topicConfigTable: Object.fromEntries(table) }, null, '\t');
}
