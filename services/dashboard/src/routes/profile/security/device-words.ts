import { programWords } from '../audit-words.ts';

/** The browser, with its version, and the system of a session. */
export function deviceWords(userAgent: string | null): string {
  return userAgent ? programWords(userAgent, { version: true }) : 'Unknown device';
}
