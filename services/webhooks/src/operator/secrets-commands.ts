import { readOptions } from '@sigcast/operator';
import { sealer } from '@sigcast/runtime';
import { readSecretsConfig } from '../config.ts';
import { resealSecrets } from '../store/sealed-secrets.ts';
import type { Command } from './command.ts';

const reseal: Command = {
  usage: 'secrets reseal',
  summary:
    'Seals all secrets by the newest key of WEBHOOK_SEAL_KEYS, while the service goes on. When all processes have this key, the older ones can be removed afterwards.',
  run: async ({ args, env, openStore }) => {
    readOptions(args, { shape: {} });
    const secrets = sealer(readSecretsConfig(env).WEBHOOK_SEAL_KEYS);
    const resealed = await resealSecrets(await openStore(), secrets);
    return { data: { resealed }, text: `${resealed} webhooks have their secrets sealed by the newest key` };
  },
};

export const secretsCommands = { reseal } satisfies Record<string, Command>;
