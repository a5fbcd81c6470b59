import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, exits, wrongUsage } from './exits.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Who asks, and where. */
export type Credentials = { readonly apiKey: string; readonly url: string };

/** The file that `sigcast login` writes: `SIGCAST_CONFIG`, else in the folder for configuration (XDG). */
export function configFile(env: Environment): string {
  if (env.SIGCAST_CONFIG) return env.SIGCAST_CONFIG;
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'sigcast', 'config.json');
}

/**
 * The key from `SIGCAST_API_KEY` or the file, the address from `--url`, `SIGCAST_URL` or the file. A key from the file
 * goes to the address from the file alone.
 * @throws {CliError} naming what is missing, or why the file is not used.
 */
export async function readCredentials(env: Environment, urlOption?: string): Promise<Credentials> {
  const file = configFile(env);
  const url = readUrl(urlOption, '--url') ?? readUrl(env.SIGCAST_URL, 'SIGCAST_URL');
  const apiKey = readKey(env.SIGCAST_API_KEY, 'SIGCAST_API_KEY');
  if (apiKey !== undefined && url !== undefined) return { apiKey, url };
  const stored = await readStored(file);
  if (apiKey !== undefined) {
    if (stored !== undefined) return { apiKey, url: stored.url };
    throw new CliError(exits.usage, 'The API’s address is missing: set SIGCAST_URL, or pass --url');
  }
  if (stored === undefined) {
    throw new CliError(
      exits.credentials,
      'No API key: set SIGCAST_API_KEY, or store one with "sigcast login"',
    );
  }
  if (url !== undefined && url !== stored.url) {
    const source = urlOption ? '--url' : 'SIGCAST_URL';
    const message = `The key in ${file} is for ${stored.url}, not for the address in ${source}: set SIGCAST_API_KEY, or log in again`;
    throw new CliError(exits.credentials, message);
  }
  return stored;
}

/**
 * An address without a slash at its end; undefined where none was given.
 * @param source names it in the message, which does not repeat it: it may be a key that was put in the wrong place.
 */
export function readUrl(text: string | undefined, source: string): string | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw wrongUsage(`${source} must be an http or https address without a query`);
  }
  return text.replace(/\/+$/, '');
}

/** @throws {CliError} for what no key looks like; the message does not repeat it. */
export function readKey(text: string | undefined, source: string): string | undefined {
  if (!text) return undefined;
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new CliError(
    exits.credentials,
    `${source} is no API key: a key has no blanks and no special characters`,
  );
}

/** A text with every API key and signing secret in it replaced. */
export function withoutSecrets(text: string): string {
  return text.replace(/(?<![A-Za-z0-9])(sk|whsec)_[\w+/=%-]+/g, '$1_…');
}

/** Stores a key where nobody else can read it, in place of an earlier one. */
export async function storeCredentials(file: string, { apiKey, url }: Credentials): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.new`;
  const handle = await open(fresh, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`);
    await handle.close();
    await rename(fresh, file);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(fresh, { force: true });
    throw error;
  }
}

async function readStored(file: string): Promise<Credentials | undefined> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CliError(exits.credentials, `${file} can’t be read (${error.code})`);
  });
  if (handle === undefined) return undefined;
  try {
    await requirePrivate(handle, file);
    return parse(await handle.readFile('utf8'), file);
  } finally {
    await handle.close();
  }
}

/** Of the open file, so that it can't be exchanged in between. Windows has no such modes. */
async function requirePrivate(handle: FileHandle, file: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode, uid } = await handle.stat();
  const own = process.getuid?.();
  if (own !== undefined && uid !== own && uid !== 0) {
    throw new CliError(exits.credentials, `${file} belongs to somebody else, so the key in it is not used`);
  }
  if ((mode & 0o077) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  const message = `Others can read ${file} (mode ${octal}), so the key in it is not used. Type: chmod 600 ${file}`;
  throw new CliError(exits.credentials, message);
}

function parse(text: string, file: string): Credentials {
  let content: { readonly api_key?: unknown; readonly url?: unknown } | null | undefined;
  try {
    content = JSON.parse(text) as typeof content;
  } catch {
    // Said below.
  }
  const [apiKey, url] = [content?.api_key, content?.url];
  if (typeof apiKey === 'string' && apiKey !== '' && typeof url === 'string' && url !== '')
    return { apiKey, url };
  throw new CliError(
    exits.credentials,
    `${file} holds no key and address: log in again with "sigcast login"`,
  );
}
