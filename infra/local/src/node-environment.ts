import { join } from 'node:path';

/**
 * Where Node keeps compiled sources. With them, a process takes a third less of the processor's time to start
 * (https://nodejs.org/api/module.html#module-compile-cache).
 */
export const compileCacheDir = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'node');

/** The environment of a Node process of the system: `settings`, PATH, and where Node keeps compiled sources. */
export function nodeEnvironment<T>(settings: Readonly<Record<string, T>>): Record<string, T | string> {
  return { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compileCacheDir, ...settings };
}
