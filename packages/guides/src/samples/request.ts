import type { ApiEntry } from '../api.ts';

/** A request as a sample shows it. A text such as `$WEBHOOK_ID` is a variable of the environment. */
export type SampleRequest = {
  readonly entry: ApiEntry;
  /** Values of the parameters in its path, in order. */
  readonly ids: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

const word = `(?:'[^']*'|"[^"]*"|[^\\s'"|;&()])+`;
const command = new RegExp(`^curl((?:\\s+${word})+)\\s*$`);
const flags = new Set(['-G', '-N']);

/** The request of a single `curl` command to the API; nothing where code is anything else. */
export function readRequest(code: string, entries: readonly ApiEntry[]): SampleRequest | undefined {
  const [, given] = command.exec(code.replaceAll('\\\n', ' ')) ?? [];
  if (given === undefined) return undefined;
  const words = (given.match(new RegExp(word, 'g')) ?? []).map(unquoted);
  let method: string | undefined;
  let url: URL | undefined;
  let body: string | undefined;
  const query = new URLSearchParams();
  for (let at = 0; at < words.length; at++) {
    const option = words[at] ?? '';
    if (flags.has(option)) continue;
    const value = words[at + 1] ?? '';
    if (option === '-H') at++;
    else if (option === '-X') method = words[++at];
    else if (option === '-d') body = words[++at];
    else if (option === '--data-urlencode') {
      const [name = '', ...rest] = value.split('=');
      query.append(name, rest.join('='));
      at++;
    } else if (option.startsWith('$SIGCAST_URL/v1/') && url === undefined) {
      url = new URL(option.slice('$SIGCAST_URL'.length), 'http://api');
    } else return undefined;
  }
  if (url === undefined) return undefined;
  for (const [name, value] of url.searchParams) query.append(name, value);
  const { pathname } = url;
  for (const entry of entries) {
    if (entry.method !== (method ?? (body === undefined ? 'GET' : 'POST'))) continue;
    const ids = new RegExp(`^${entry.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname)?.slice(1);
    if (ids !== undefined)
      return { entry, ids, query: Object.fromEntries(query), body: body && JSON.parse(body) };
  }
  return undefined;
}

/** A word of a shell without its quotes. */
function unquoted(text: string): string {
  return text.replaceAll(
    /'([^']*)'|"([^"]*)"/g,
    (_, single?: string, double?: string) => single ?? double ?? '',
  );
}
