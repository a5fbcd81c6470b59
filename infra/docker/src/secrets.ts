/**
 * Makes the passwords and keys of the system in containers, once. /secrets has a folder for each service with the secrets
 * of this service alone. Only the service's user may read them.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brokerUsers, completePasswords, redisUsers } from '@sigcast/local';
import { type Passwords, secretFolders, storeUsers } from './secret-folders.ts';

const root = '/secrets';

/** Creates the missing passwords: all of them at the first start, later those of a new service. */
function passwords(): Passwords {
  const file = join(root, 'passwords.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Passwords>) : {};
  const complete: Passwords = {
    keyfile: known.keyfile ?? randomBytes(96).toString('base64'),
    redis: completePasswords(['root', ...redisUsers], known.redis),
    rabbitmq: completePasswords(brokerUsers, known.rabbitmq),
    mongo: completePasswords(['root', ...storeUsers], known.mongo),
  };
  const text = JSON.stringify(complete);
  if (text !== JSON.stringify(known)) writeOwn(file, text, { uid: 0, gid: 0 });
  return complete;
}

function keys(): Readonly<Record<string, string>> {
  const dir = join(root, 'keys');
  const generate = ['services/gateway/src/operator.ts', 'keys', 'generate', '--out', dir, '--if-missing'];
  // Also where a start was interrupted: what is missing is written, and nothing else.
  execFileSync(process.execPath, generate);
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
}

function writeOwn(file: string, text: string, { uid, gid }: { uid: number; gid: number }): void {
  const aside = `${file}.new`;
  writeFileSync(aside, text, { mode: 0o400 });
  // The mode again, because writing keeps the mode of an existing file, and applies the process's umask to a new one.
  chmodSync(aside, 0o400);
  chownSync(aside, uid, gid);
  renameSync(aside, file);
}

chmodSync(root, 0o700);
const folders = secretFolders(passwords(), keys());
for (const [name, { uid, gid, files }] of Object.entries(folders)) {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeOwn(join(dir, file), text, { uid, gid });
  chownSync(dir, uid, gid);
  chmodSync(dir, 0o700);
}
