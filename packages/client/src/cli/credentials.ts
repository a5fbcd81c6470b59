import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { httpAddress } from '../http-address.ts';
import { CliError, exits, wrongUsage } from './exits.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An API key and the API's URL. */
export type Credentials = { readonly apiKey: string; readonly url: string };

/** The file that `sigcast login` writes: `SIGCAST_CONFIG`, else in the folder for configuration (XDG). */
export function configFile(env: Environment): string {
  if (env.SIGCAST_CONFIG) return env.SIGCAST_CONFIG;
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'sigcast', 'config.json');
}

/**
 * Reads the key from `SIGCAST_API_KEY` or the file, and the URL from `--url`, `SIGCAST_URL` or the file. A key from the file
 * is sent only to the URL from the file.
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
  if (stored === undefined) throw noKey();
  if (url !== undefined && url !== stored.url) {
    const source = urlOption ? '--url' : 'SIGCAST_URL';
    const message = `The key in ${file} is for ${stored.url}, not for the address in ${source}: set SIGCAST_API_KEY, or log in again`;
    throw new CliError(exits.credentials, message);
  }
  return stored;
}

/** The key from `SIGCAST_API_KEY` or the file. @throws {CliError} when there is no key, or saying why the file is not used. */
export async function readApiKey(env: Environment): Promise<string> {
  const given = readKey(env.SIGCAST_API_KEY, 'SIGCAST_API_KEY');
  const apiKey = given ?? (await readStored(configFile(env)))?.apiKey;
  if (apiKey === undefined) throw noKey();
  return apiKey;
}

function noKey(): CliError {
  const message = 'No API key: set SIGCAST_API_KEY, or store one with "sigcast login"';
  return new CliError(exits.credentials, message);
}

/**
 * An address without a slash at its end; undefined where none was given.
 * @param source names the setting in messages. Messages do not repeat the value, which may be a misplaced key.
 */
export function readUrl(text: string | undefined, source: string): string | undefined {
  if (!text) return undefined;
  const url = httpAddress(text);
  if (url === undefined) throw wrongUsage(`${source} must be an http or https address without a query`);
  refuseUserInfo(url, source);
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw wrongUsage(`${source} must be an https address: only an address of this machine may be http`);
  }
  return text.replace(/\/+$/, '');
}

/** Whether a URL is on this machine. */
function isLoopback({ hostname }: URL): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

/** @throws {CliError} for a URL with a password in it, which messages would show. */
export function refuseUserInfo({ username, password }: URL, source: string): void {
  if (username === '' && password === '') return;
  throw wrongUsage(`${source} must be an address without a user name and a password`);
}

/** @throws {CliError} for a text that can't be a key. The message does not repeat the text. */
export function readKey(text: string | undefined, source: string): string | undefined {
  if (!text) return undefined;
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new CliError(
    exits.credentials,
    `${source} is no API key: a key has no blanks and no special characters`,
  );
}

/** Replaces every API key and signing secret in a text. */
export function withoutSecrets(text: string): string {
  return text.replace(/(?<![A-Za-z0-9])(sk|whsec)_[\w+/=%-]+/g, '$1_…');
}

/** Stores a key in a file that only its owner can read, and replaces an earlier key. */
export async function storeCredentials(file: string, { apiKey, url }: Credentials): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await replaceFile(file, `${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`);
  } catch (error) {
    throw impossible(file, 'written', error);
  }
}

/** Deletes the stored key, if there is one. */
export async function deleteCredentials(file: string): Promise<void> {
  try {
    await rm(file, { force: true });
  } catch (error) {
    throw impossible(file, 'deleted', error);
  }
}

function impossible(file: string, what: 'read' | 'written' | 'deleted', error: unknown): CliError {
  const { code } = error as NodeJS.ErrnoException;
  return new CliError(exits.credentials, `${file} can’t be ${what} (${code})`);
}

async function replaceFile(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}.new`;
  const handle = await open(fresh, 'wx', 0o600);
  try {
    await handle.writeFile(text);
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
    throw impossible(file, 'read', error);
  });
  if (handle === undefined) return undefined;
  try {
    await requirePrivate(handle, file);
    const text = await handle.readFile('utf8').catch((error: unknown) => {
      throw impossible(file, 'read', error);
    });
    return parse(text, file);
  } finally {
    await handle.close();
  }
}

/** Checks the open file, so that nobody can replace it after the check. Windows has no such modes. */
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
  try {
    const { api_key, url: address } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const apiKey = typeof api_key === 'string' ? readKey(api_key, file) : undefined;
    const url = typeof address === 'string' ? readUrl(address, file) : undefined;
    if (apiKey !== undefined && url !== undefined) return { apiKey, url };
  } catch {
    // The error below says it.
  }
  throw new CliError(
    exits.credentials,
    `${file} holds no key and address that can be used: log in again with "sigcast login"`,
  );
}
