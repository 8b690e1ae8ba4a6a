/** `850 ms`, `12 s`, `5 min`, `3 h`, `2 d`. */
export function showAge(millis: number): string {
  if (millis < 1_000) return `${Math.max(0, Math.round(millis))} ms`;
  const seconds = millis / 1_000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
