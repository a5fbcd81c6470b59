/**
 * Contender (b), a gateway assembled from well-known parts: http-proxy-middleware, express-rate-limit with its counts in
 * Redis, and keys looked up by their hashes in MongoDB.
 */
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { RedisStore } from 'rate-limit-redis';

const env = process.env as Record<'PORT' | 'UPSTREAM' | 'REDIS_URL' | 'MONGODB_URI' | 'KEY', string>;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const connection = await mongoose
  .createConnection(env.MONGODB_URI, { dbName: 'bench_assembled' })
  .asPromise();
const keys = connection.model(
  'Key',
  new mongoose.Schema({ _id: String, account: String, revoked: Boolean }, { versionKey: false }),
);
await keys.updateOne({ _id: sha256(env.KEY) }, { account: 'acct_1', revoked: false }, { upsert: true });

const redis = new Redis(env.REDIS_URL);
const app = express();
app.use(async (req, res, next) => {
  const token = req.headers.authorization?.slice('Bearer '.length) ?? '';
  const key = await keys.findOne({ _id: sha256(token), revoked: false }).lean();
  if (key === null) {
    res.status(401).json({ error: 'invalid API key' });
    return;
  }
  res.locals.account = key.account;
  next();
});
app.use(
  rateLimit({
    windowMs: 60_000,
    limit: 1_000_000_000,
    standardHeaders: 'draft-7',
    legacyHeaders: true,
    keyGenerator: (_req, res) => String(res.locals.account),
    store: new RedisStore({
      sendCommand: (command: string, ...args: string[]) => redis.call(command, ...args) as Promise<number>,
      prefix: 'bench:assembled:',
    }),
  }),
);
app.use(
  createProxyMiddleware({
    target: env.UPSTREAM,
    changeOrigin: true,
    agent: new Agent({ keepAlive: true, maxSockets: 512 }),
  }),
);
app.listen(Number(env.PORT), '127.0.0.1');
