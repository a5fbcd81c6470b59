import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** OWASP's scrypt setting for 32 MB of memory: N = 2¹⁵, r = 8, p = 3. Stored with each hash, so it can be raised later. */
const usualCost = { N: 2 ** 15, r: 8, p: 3 };

export type PasswordCost = typeof usualCost;
const saltBytes = 16;
const hashBytes = 32;
/** scrypt needs a little more than 128 × N × r bytes, 32 MB, which is Node's default bound. */
const maxMemoryBytes = 64 * 1024 * 1024;

/** Hashes a password. Returns `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string, cost: PasswordCost = usualCost): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, { salt, length: hashBytes, cost });
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Whether `password` is the one that was hashed, compared in constant time. */
export async function passwordMatches(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(password, {
    salt: Buffer.from(salt, 'base64url'),
    length: expected.length,
    cost: { N: Number(N), r: Number(r), p: Number(p) },
  });
  return timingSafeEqual(actual, expected);
}

function derive(
  password: string,
  { salt, length, cost }: { salt: Buffer; length: number; cost: PasswordCost },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, { ...cost, maxmem: maxMemoryBytes }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
