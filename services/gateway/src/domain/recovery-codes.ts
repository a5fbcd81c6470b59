import { randomInt } from 'node:crypto';
import { sha256Of } from './api-key.ts';

/** Without letters that look like digits (Crockford's base32): 5 bits each. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 80 bits: nobody guesses one, so its SHA-256 may be stored as it is. */
const length = 16;
const codes = 10;

/** Ten new recovery codes, such as `7KQX-M2PD-9RTE-W4HB`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codes }, () =>
    Array.from({ length }, (_, at) => {
      const letter = alphabet.charAt(randomInt(alphabet.length));
      return at > 0 && at % 4 === 0 ? `-${letter}` : letter;
    }).join(''),
  );
}

/** By what a recovery code is stored and found, as people type it: in any case, with or without hyphens. */
export function recoveryCodeHash(code: string): string {
  return sha256Of(code.toUpperCase().replaceAll(/[\s-]/g, ''));
}
