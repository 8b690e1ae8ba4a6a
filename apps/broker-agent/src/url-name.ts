/** A URL as it may be shown: without the credentials and the query, which may hold a secret. */
export function urlName(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
