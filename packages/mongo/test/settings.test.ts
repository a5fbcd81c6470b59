import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, type Environment, readConfig } from '@sigcast/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mongoFrom, mongoSettings } from '../src/index.ts';

const read = (env: Environment) => mongoFrom(readConfig(mongoSettings('sigcast_test'), env));
const problemOf = (MONGODB_URI: string) => {
  try {
    read({ MONGODB_URI });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
};

describe('the MongoDB settings', () => {
  it.each([
    'mongodb://127.0.0.1/',
    'mongodb://h1:27017,h2:27017,h3:27017/?replicaSet=rs0',
    'mongodb://h1,h2,h3/database?replicaSet=rs0&authSource=admin',
    'mongodb+srv://user:secret@cluster0.example.net/?retryWrites=true&w=majority&appName=Cluster0',
    'mongodb://[::1]:27018,[2001:db8::2]/?directConnection=false',
    'mongodb://%2Frun%2Fmongodb%2Fmongodb-27017.sock/',
    'mongodb://us%40er:p%3Aa%2Fss%3F%40@h1/?authSource=admin&authMechanism=SCRAM-SHA-256',
    'mongodb://h1/?tls=true&tlsCAFile=/run/secrets/ca.pem&tlsCertificateKeyFile=/run/secrets/client.pem',
    'mongodb://h1/?compressors=zlib&maxPoolSize=20&w=majority&journal=true&readPreference=primary',
    'mongodb://h1/?readConcernLevel=majority&retryReads=true',
    'mongodb://router:27017/?loadBalanced=true',
  ])('MONGODB_URI takes every form of connection string that the driver takes: %s', (uri) => {
    expect(read({ MONGODB_URI: uri })).toEqual({ uri, ca: undefined, database: 'sigcast_test' });
  });

  it.each([
    ['http://h1/', 'must begin with mongodb:// or mongodb+srv://'],
    ['h1:27017', 'must begin with mongodb:// or mongodb+srv://'],
    ['mongodb://', 'names no host'],
    ['mongodb://:secret@h1/', 'has an empty user name'],
    ['mongodb://h1:99999/', 'a port is a whole number from 1 to 65535'],
    ['mongodb://h1:abc/', 'a port is a whole number from 1 to 65535'],
    ['mongodb+srv://h1.example.net:27017/', 'must name no port'],
    ['mongodb+srv://h1.example.net,h2.example.net/', 'must name one host'],
    [
      'mongodb://h1/?readPrefrence=primary',
      'has the option readPrefrence, which the MongoDB driver does not know',
    ],
    ['mongodb://h1/?tls=yes', 'has the option tls, which the MongoDB driver does not take with this value'],
    ['mongodb://h1/?maxPoolSize=many', 'has the option maxPoolSize, which'],
    ['mongodb://h1/?appName=', 'has the option appName, without a value'],
    ['mongodb://h1/?appName=a&appName=b', 'has the option appName, more than once'],
    ['mongodb://h1,h2/?directConnection=true', 'has the option directConnection, which'],
    ['mongodb://h1/?w=1', 'has the option w, which must be majority, or be left out'],
    ['mongodb://h1/?w=0', 'has the option w, which must be majority'],
    ['mongodb://h1/?journal=false', 'has the option journal, which must be true'],
    ['mongodb://h1/?wtimeoutMS=100', 'has the option wtimeoutMS, which must be left out'],
    ['mongodb://h1/?ReadPreference=secondary', 'has the option ReadPreference, which must be primary'],
    ['mongodb://h1/?readConcernLevel=local', 'has the option readConcernLevel, which must be majority'],
    ['mongodb://h1/?retryWrites=false', 'has the option retryWrites, which must be true'],
  ])('MONGODB_URI %s is refused with what is wrong', (uri, problem) => {
    expect(problemOf(uri)).toMatch(/MONGODB_URI: /);
    expect(problemOf(uri)).toContain(problem);
  });

  it.each([
    'mongodb://user:hunter2/x@h1/',
    'mongodb://user:hunter2?x=y@h1/',
    'mongodb://user:hun@ter2@h1/',
    'mongodb://user:hunter2%zz@h1/',
    'mongodb://hunter2:hunter2:hunter2@h1/',
    'mongodb://user:hunter2@h1/?authMechanism=hunter2',
    'mongodb://user:hunter2@h1:hunter2/',
    'mongodb://user:hunter2@/',
    'mongodb://user:hunter2@h1/?w=0',
    'hunter2',
  ])('a refused MONGODB_URI never shows a password, also where it is in the wrong place: %s', (uri) => {
    const problem = problemOf(uri);
    expect(problem).toContain('MONGODB_URI: ');
    for (const part of ['hunter2', 'hun', 'ter2']) expect(problem).not.toContain(part);
  });

  describe('with a certificate authority', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'mongo-settings-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('MONGODB_CA is read as text or from a file, in PEM form', () => {
      const pem = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----';
      const env = { MONGODB_URI: 'mongodb://h1/' };
      writeFileSync(join(folder, 'ca.pem'), `${pem}\n`);
      expect(read({ ...env, MONGODB_CA: pem }).ca).toBe(pem);
      expect(read({ ...env, MONGODB_CA_FILE: join(folder, 'ca.pem') }).ca).toBe(pem);
      expect(() => read({ ...env, MONGODB_CA: '/run/secrets/ca.pem' })).toThrow(
        'MONGODB_CA: must be in PEM form',
      );
    });
  });
});
