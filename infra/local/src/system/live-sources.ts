import { connect } from 'node:net';
import { reasonOf } from '@sigcast/runtime';

/** The settings of a scanner that looks at real sources. The poller asks the same DexScreener. */
export type LiveSources = Readonly<Record<string, string>> & { readonly SCANNER_DEXSCREENER_URL: string };

const addresses = {
  SCANNER_DEXSCREENER_URL: 'https://api.dexscreener.com',
  SCANNER_GECKOTERMINAL_URL: 'https://api.geckoterminal.com/api/v2',
};

/** The real sources, with what the environment says of the scanner: other addresses or none, a key, chains, thresholds. */
export function liveSources(env: Readonly<Record<string, string | undefined>>): LiveSources {
  const given = Object.entries(env).filter(
    ([name, value]) => name.startsWith('SCANNER_') && value !== undefined,
  );
  return { ...addresses, ...(Object.fromEntries(given) as Record<string, string>) };
}

/**
 * Which sources can't be reached now, each with the reason. Nothing is asked, so that no request of a limit is spent.
 * @param timeoutMs for a connection
 */
export async function unreachable(sources: LiveSources, timeoutMs: number): Promise<readonly string[]> {
  const urls = Object.keys(addresses).flatMap((name) => sources[name] || []);
  const problems = urls.map(async (url) => {
    const reason = await connectionProblem(new URL(url), timeoutMs);
    return reason === undefined ? [] : [`${url} (${reason})`];
  });
  return (await Promise.all(problems)).flat();
}

/** Why no connection to an address comes about; undefined when one does. */
function connectionProblem(url: URL, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, timeout: timeoutMs });
    const end = (reason?: string) => {
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(`no connection within ${timeoutMs} ms`));
    socket.once('error', (error) => end(reasonOf(error)));
  });
}
