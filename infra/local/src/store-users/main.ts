/**
 * Makes the passwords of RabbitMQ's and Redis' users in a folder, once, and the files that these stores load: for
 * Kubernetes, and for stores of one's own. A password that is removed is made anew.
 * Usage: node infra/local/src/store-users/main.ts --out DIR [--namespace NAME] [--redis-key-prefix PREFIX]
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeWhole } from '../system/write-whole.ts';
import { rabbitmqDefinitions } from './rabbitmq.ts';
import { redisAcl } from './redis.ts';
import { brokerUsers, completePasswords, redisUsers, root } from './users.ts';

const usage =
  'Usage: node infra/local/src/store-users/main.ts --out DIR [--namespace NAME] [--redis-key-prefix PREFIX]';

function options() {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({ options: { out: text, namespace: text, 'redis-key-prefix': text } });
    if (!values.out) throw new Error('--out DIR is required');
    return {
      out: values.out,
      namespace: values.namespace ?? '',
      keyPrefix: values['redis-key-prefix'] ?? '',
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}

const { out, namespace, keyPrefix } = options();
mkdirSync(out, { recursive: true, mode: 0o700 });

/** The passwords of a store, each in a file of its own: `STORE.USER`. */
function passwords<User extends string>(store: string, users: readonly User[]) {
  const files = users.map((user) => [user, join(out, `${store}.${user}`)] as const);
  const known = files.flatMap(([user, file]) =>
    existsSync(file) ? [[user, readFileSync(file, 'utf8')]] : [],
  );
  const complete = completePasswords(users, Object.fromEntries(known) as Partial<Record<User, string>>);
  for (const [user, file] of files) writeWhole(file, complete[user]);
  return complete;
}

writeWhole(join(out, 'definitions.json'), rabbitmqDefinitions(passwords('rabbitmq', brokerUsers), namespace));
writeWhole(
  join(out, 'users.acl'),
  redisAcl(passwords('redis', [root, ...redisUsers]), { namespace, keyPrefix }),
);
