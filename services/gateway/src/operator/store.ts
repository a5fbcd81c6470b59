import { connectMongo, mongoFrom } from '@sigcast/mongo';
import { connectRedis, type RedisClient } from '@sigcast/redis';
import { type Environment, type Logger, pause, type Resources } from '@sigcast/runtime';
import { readStoreConfig, redisSettings } from '../config.ts';
import { MongoAccounts } from '../store/accounts.ts';
import { ChangePropagator } from '../store/change-propagator.ts';
import { MongoKeyRepository } from '../store/key-repository.ts';
import { prepareStore } from '../store/models.ts';
import { mongoOperatorReads } from '../store/operator-accounts.ts';
import { mongoOperatorLog } from '../store/operator-log.ts';
import { RecordCopies } from '../store/shared-store.ts';
import type { Store } from './command.ts';

/** Redis may need a moment at the start of a program; longer than this it is taken to be away. */
const redisTries = 20;
const redisPauseMs = 50;

/** Connects a command to the gateway's stores. @throws when MongoDB does not answer. */
export async function openStore(env: Environment, log: Logger, resources: Resources): Promise<Store> {
  const config = readStoreConfig(env);
  const connection = await connectMongo(mongoFrom(config), log, resources);
  const models = await prepareStore(connection, log, resources);
  const redis = connectRedis(redisSettings(config), log, resources);
  const keyRepository = new MongoKeyRepository({ models: models, clock: Date.now });
  const propagator = new ChangePropagator({
    models,
    copies: new RecordCopies(redis),
    limitsOf: (plan) => keyRepository.limitsOf(plan),
  });
  return {
    accounts: new MongoAccounts(models),
    reads: mongoOperatorReads(models, Date.now),
    log: mongoOperatorLog(models),
    propagateKey: async (key) =>
      (await answers(redis)) && (await succeeds(() => propagator.propagateKey(key))),
    propagateAccount: async (id) =>
      (await answers(redis)) && (await succeeds(() => propagator.propagateAccount(id))),
  };
}

async function answers(redis: RedisClient): Promise<boolean> {
  for (let tries = 0; tries < redisTries; tries += 1) {
    if (await succeeds(() => redis.ping())) return true;
    await pause(redisPauseMs);
  }
  return false;
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
