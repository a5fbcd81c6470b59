import { connectStore } from '@sigcast/operator';
import { connectRedis, redisFrom } from '@sigcast/redis';
import type { Environment, Logger, Resources } from '@sigcast/runtime';
import { readStoreConfig } from '../config.ts';
import { MongoAccounts } from '../store/accounts.ts';
import { MongoApiKeys } from '../store/api-keys.ts';
import { mongoAuditLog } from '../store/audit.ts';
import { ChangePropagator } from '../store/change-propagator.ts';
import { prepareStore } from '../store/models.ts';
import { mongoOperatorReads } from '../store/operator-accounts.ts';
import { mongoOperatorLog } from '../store/operator-log.ts';
import { mongoPasskeys } from '../store/passkeys.ts';
import { factorSwitch } from '../store/second-factors.ts';
import { MongoSessions } from '../store/sessions.ts';
import type { Store } from './command.ts';

/** Connects a command to the gateway's stores. @throws when MongoDB does not answer. */
export async function openStore(env: Environment, log: Logger, resources: Resources): Promise<Store> {
  const config = readStoreConfig(env);
  const connection = await connectStore(config, { log, resources });
  const models = await prepareStore(connection, log, resources);
  const redis = connectRedis(redisFrom(config), log, resources);
  const propagator = new ChangePropagator({ models, redis });
  return {
    accounts: new MongoAccounts(models),
    keys: new MongoApiKeys(models),
    reads: mongoOperatorReads(models, Date.now),
    log: mongoOperatorLog(models, mongoAuditLog(models, Date.now)),
    secondFactors: factorSwitch(models),
    passkeys: mongoPasskeys(models, Date.now),
    sessions: new MongoSessions(models, Date.now),
    models,
    // With retries: Redis may need a moment at the start of a program. A change that fails stays marked in MongoDB.
    propagate: (account) => propagator.propagateWithRetries(account).catch(() => false),
  };
}
