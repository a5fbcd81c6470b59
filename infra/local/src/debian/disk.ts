import { mkdirSync, statfsSync } from 'node:fs';
import { cacheDir } from './cache-dir.ts';
import { isRootBuilt } from './engine-root.ts';

const megabyte = 1_000_000;

/** @throws when the disk has too little room for the engines or their data. */
export function checkFreeDisk(dataDir: string): void {
  requireFree(dataDir, 300, 'the data');
  if (!isRootBuilt()) requireFree(cacheDir(), 1_500, 'the first installation');
}

function requireFree(dir: string, megabytes: number, purpose: string): void {
  mkdirSync(dir, { recursive: true });
  const { bavail, bsize } = statfsSync(dir);
  const free = Math.floor((bavail * bsize) / megabyte);
  if (free < megabytes) throw new Error(`${dir} has ${free} MB free, ${purpose} needs ${megabytes} MB`);
}
