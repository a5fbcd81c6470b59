import { secretsCommands as commands } from '@sigcast/operator';
import { sealer } from '@sigcast/runtime';
import { readSecretsConfig } from '../config.ts';
import { resealSeeds } from '../store/second-factors.ts';
import type { StoreOpener } from './command.ts';

export const secretsCommands = commands<StoreOpener>({
  setting: 'GATEWAY_SEAL_KEYS',
  what: 'second factors',
  sealerOf: (env) => sealer(readSecretsConfig(env).GATEWAY_SEAL_KEYS),
  reseal: async ({ openStore }, secrets) => resealSeeds((await openStore()).models, secrets),
});
