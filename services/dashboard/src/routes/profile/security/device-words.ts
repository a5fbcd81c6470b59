import { programWords } from '../audit-words.ts';

/** The browser and system of a session, or of this browser. */
export function deviceWords(userAgent: string | null): string {
  return userAgent ? programWords(userAgent) : 'Unknown device';
}
