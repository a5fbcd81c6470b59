import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, readOptions } from '@sigcast/operator';
import { newSealKey } from '@sigcast/runtime';
import { z } from 'zod';
import type { Command } from './command.ts';

const names = ['gateway-identity', 'operator', 'log-signing'] as const;
const sealNames = ['gateway-seal', 'webhook-seal'] as const;

const generate: Command = {
  usage: 'keys generate --out FOLDER [--if-missing]',
  summary:
    'Writes the key pairs "gateway-identity", "operator" and "log-signing" and the keys "gateway-seal" and "webhook-seal" into a folder. A private key is never overwritten. With --if-missing, keys that exist are no error.',
  run: async ({ args }) => {
    const options = readOptions(args, {
      flags: ['if-missing'],
      shape: { out: z.string().min(1), 'if-missing': z.boolean().default(false) },
    });
    await mkdir(options.out, { recursive: true });
    const files: Record<string, { private: string; public: string; created: boolean }> = {};
    for (const name of names) files[name] = await makePair(options.out, name, options['if-missing']);
    const seals: Record<string, { private: string; created: boolean }> = {};
    for (const name of sealNames) {
      const file = join(options.out, `${name}.keys`);
      const created = await writeOnce(file, `${newSealKey(1)}\n`, options['if-missing']);
      seals[name] = { private: file, created };
    }
    const written = [
      ...Object.values(files).flatMap((pair) => [pair.private, pair.public]),
      ...Object.values(seals).map((seal) => seal.private),
    ];
    return { data: { ...files, ...seals }, text: written.join('\n') };
  },
};

export const keypairCommands = { generate } satisfies Record<string, Command>;

/**
 * Writes a private key. It is never overwritten: tokens that it has signed would not be valid any more, and what it has sealed
 * would be lost. Returns whether the file was written.
 */
async function writeOnce(file: string, text: string, ifMissing: boolean): Promise<boolean> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!ifMissing) throw new CommandFailed('key_exists', `${file} exists already`);
    return false;
  }
}

async function makePair(dir: string, name: string, ifMissing: boolean) {
  const files = { private: join(dir, `${name}.private.pem`), public: join(dir, `${name}.public.pem`) };
  const { privateKey } =
    name === 'log-signing'
      ? generateKeyPairSync('ed25519') // the kind that logs have (C2SP tlog-checkpoint)
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const created = await writeOnce(files.private, String(pem), ifMissing);
  // From the file, not from memory: so the public key also fits a private key of an interrupted run.
  const publicKey = createPublicKey(await readFile(files.private, 'utf8'));
  await writeFile(files.public, publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
  return { ...files, created };
}
