/** An http or https address without a query; undefined for another text. */
export function httpAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.search + url.hash === '' ? url : undefined;
}
