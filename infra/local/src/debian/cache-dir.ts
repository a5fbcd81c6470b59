import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for what is built or unpacked once per machine, shared by all checkouts. */
export function cacheDir(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sigcast');
}
