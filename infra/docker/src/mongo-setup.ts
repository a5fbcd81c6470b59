/**
 * Makes a replica set of the MongoDB server on loopback, and a user with a database for each service. A replica set and
 * users that exist are kept.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { StoreAccount } from './secret-folders.ts';

const { MongoClient, MongoServerError } = mongoose.mongo;
type Db = mongoose.mongo.Db;

const address = 'mongodb://127.0.0.1:27017/?directConnection=true';
/** The server's address for clients in other containers. */
const member = 'mongo:27017';
/** A new server starts within seconds; on a busy machine it may take a minute. */
const timeoutMs = 120_000;
// MongoDB's error codes, https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
const codes = { unauthorized: 13, authenticationFailed: 18, alreadyInitialized: 23, userExists: 51_003 };

const rootPassword = readFileSync('/run/secrets/root-password', 'utf8');
const accounts = JSON.parse(readFileSync('/run/secrets/accounts.json', 'utf8')) as StoreAccount[];

/** Runs one step against `admin`, signed in as root or not at all. */
async function asUser<T>(signedIn: boolean, step: (admin: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(address, {
    serverSelectionTimeoutMS: 1_000,
    ...(signedIn ? { auth: { username: 'root', password: rootPassword } } : {}),
  });
  try {
    return await step(client.db('admin'));
  } finally {
    await client.close();
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

/** Waits until the condition holds. @throws after `timeoutMs`, with the last error as its cause. */
async function eventually(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let last: unknown; ; await delay(200)) {
    try {
      if (await condition()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} within ${timeoutMs / 1_000} s`, { cause: last });
  }
}

/** Whether the server has the user root with this password. A new server has not. */
async function rootExists(): Promise<boolean> {
  try {
    await asUser(true, (admin) => admin.command({ ping: 1 }));
    return true;
  } catch (error) {
    if (hasCode(error, codes.authenticationFailed)) return false;
    throw error;
  }
}

/** Makes the replica set. As long as the server has no user, this works without a password, from loopback only. */
async function initiate(): Promise<void> {
  await asUser(false, async (admin) => {
    const config = { _id: 'rs0', members: [{ _id: 0, host: member }] };
    await admin.command({ replSetInitiate: config }).catch((error: unknown) => {
      if (hasCode(error, codes.unauthorized)) {
        const remedy =
          'restore the folder of secrets that belongs to the data, or delete the data: docker compose down --volumes';
        throw new Error(`MongoDB's data was made with other passwords: ${remedy}`, { cause: error });
      }
      if (!hasCode(error, codes.alreadyInitialized)) throw error;
    });
  });
}

const isPrimary = async () => {
  const { isWritablePrimary } = await asUser(false, (admin) => admin.command({ hello: 1 }));
  return isWritablePrimary === true;
};

await eventually('MongoDB did not answer', async () => {
  await asUser(false, (admin) => admin.command({ hello: 1 }));
  return true;
});
// In an existing replica set, users are known for certain only when it has a primary.
const { setName } = await asUser(false, (admin) => admin.command({ hello: 1 }));
if (setName !== undefined) await eventually('the replica set elected no primary', isPrimary);
if (!(await rootExists())) {
  await initiate();
  await eventually('the replica set elected no primary', isPrimary);
  const user = { createUser: 'root', pwd: rootPassword, roles: [{ role: 'root', db: 'admin' }] };
  await asUser(false, (admin) => admin.command(user));
}
await eventually('the replica set elected no primary', isPrimary);
await asUser(true, async (admin) => {
  for (const { name, password, database } of accounts) {
    const rights = { pwd: password, roles: [{ role: 'readWrite', db: database }] };
    await admin.command({ createUser: name, ...rights }).catch(async (error: unknown) => {
      if (!hasCode(error, codes.userExists)) throw error;
      await admin.command({ updateUser: name, ...rights });
    });
  }
});
