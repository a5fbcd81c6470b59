import { secretsCommands as commands } from '@sigcast/operator';
import { sealer } from '@sigcast/runtime';
import { readSecretsConfig } from '../config.ts';
import { resealSecrets } from '../store/sealed-secrets.ts';
import type { Openers } from './command.ts';

export const secretsCommands = commands<Openers>({
  setting: 'WEBHOOK_SEAL_KEYS',
  what: 'webhooks',
  sealerOf: (env) => sealer(readSecretsConfig(env).WEBHOOK_SEAL_KEYS),
  reseal: async ({ openStore }, secrets) => resealSecrets(await openStore(), secrets),
});
