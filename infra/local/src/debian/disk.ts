import { mkdirSync, statfsSync } from 'node:fs';
import { cacheDir, isRootBuilt } from './engine-root.ts';

const megabyte = 1_000_000;

/** Checks that the disk has enough room, before anything is begun. */
export function checkFreeDisk(dataDir: string): void {
  require(dataDir, 300, 'the data');
  if (!isRootBuilt()) require(cacheDir(), 1_500, 'the first installation');
}

function require(dir: string, megabytes: number, purpose: string): void {
  mkdirSync(dir, { recursive: true });
  const { bavail, bsize } = statfsSync(dir);
  const free = Math.floor((bavail * bsize) / megabyte);
  if (free < megabytes) throw new Error(`${dir} has ${free} MB free, ${purpose} needs ${megabytes} MB`);
}
