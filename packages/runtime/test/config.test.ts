import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, type Environment, readConfig, settings } from '../src/index.ts';

const shape = {
  PORT: settings.port(8080),
  URI: settings.url('http:', 'https:'),
  SECRET: settings.name('none'),
  DEBUG: settings.flag,
  WORKERS: settings.integer(2, 1, 8),
};
const read = (env: Environment) => readConfig(shape, { URI: 'http://localhost', ...env });

describe('readConfig', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('settings have typed values and defaults, an empty variable counts as absent, and they can not be changed', () => {
    const config = read({ PORT: '99', DEBUG: 'true', WORKERS: '' });
    expect(config).toEqual({ PORT: 99, URI: 'http://localhost', SECRET: 'none', DEBUG: true, WORKERS: 2 });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('wrong settings are refused with every problem at once', () => {
    const wrong = { PORT: '70000', URI: '', DEBUG: 'yes', WORKERS: '1.5', SECRET_FILE: join(folder, 'none') };
    expect(() => read(wrong)).toThrow(ConfigError);
    for (const name of ['PORT', 'URI: is required', 'DEBUG', 'WORKERS', 'SECRET_FILE']) {
      expect(() => read(wrong)).toThrow(name);
    }
  });

  it.each([
    ['PORT', '70000', 'must be a whole number from 0 to 65535'],
    ['PORT', '1.5', 'must be a whole number from 0 to 65535'],
    ['WORKERS', '9', 'must be a whole number from 1 to 8'],
    ['DEBUG', 'yes', 'must be one of true, false'],
    ['SECRET', 'x'.repeat(61), 'must have at most 60 characters'],
    ['LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, fatal, silent'],
  ])('the wrong setting %s=%s is refused with what would be right', (name, value, problem) => {
    const withLevel = { ...shape, LEVEL: settings.logLevel };
    const env = { URI: 'http://localhost', [name]: value };
    expect(() => readConfig(withLevel, env)).toThrow(`These settings are wrong:\n  ${name}: ${problem}`);
  });

  it.each(['ftp://localhost', 'localhost', 'http//localhost'])('the address %s is refused', (URI) => {
    expect(() => read({ URI })).toThrow('URI: must be an address that begins with http:// or https://');
  });

  describe('of an address that paths are added to', () => {
    const readBase = (text: string) =>
      readConfig({ BASE_URL: settings.baseUrl }, { BASE_URL: text }).BASE_URL;

    it.each([
      ['http://host', 'http://host'],
      ['http://host:8081/', 'http://host:8081'],
      ['https://host/below//', 'https://host/below'],
    ])('the base address %s loses the slash at its end', (text, value) => {
      expect(readBase(text)).toBe(value);
    });

    it.each(['https://user:hunter2@host', 'https://host/?key=hunter2', 'https://host/#hunter2'])(
      'the base address %s is refused without being shown',
      (text) => {
        expect(() => readBase(text)).toThrow(
          'BASE_URL: must be an address without a user, a query or a fragment',
        );
        expect(() => readBase(text)).not.toThrow('hunter2');
      },
    );

    it('a base address is refused unless it is of http or https', () => {
      expect(() => readBase('ftp://host')).toThrow(
        'BASE_URL: must be an address that begins with http:// or https://',
      );
    });
  });

  describe('of several addresses', () => {
    const readUrls = (text: string) =>
      readConfig({ BROKERS: settings.urls('amqp:', 'amqps:') }, { BROKERS: text }).BROKERS;

    it('one address is read, or several in order, also with commas in passwords', () => {
      expect(readUrls('amqp://h1')).toEqual(['amqp://h1']);
      expect(readUrls('amqp://u:a,b%2F@h1:5672/v, amqps://u:p@[::1]:5671,amqp://10.0.0.1')).toEqual([
        'amqp://u:a,b%2F@h1:5672/v',
        'amqps://u:p@[::1]:5671',
        'amqp://10.0.0.1',
      ]);
    });

    it.each([
      'amqp://u:p@h1:5672,h2:5672/vhost',
      'amqp://u:p@h1,h2',
      'amqp://h1,',
      'amqp://h1,http://h2',
      'amqp:///vhost',
      'localhost:5672',
      'amqp://u:12/34@h1', // its host would be u, its port the first half of the password
    ])('the list of addresses %s is refused without being shown', (text) => {
      expect(() => readUrls(text)).toThrow(
        /BROKERS: must be one address or several, separated by commas, each beginning with amqp:\/\/ or amqps:\/\//,
      );
      expect(() => readUrls(text)).not.toThrow(text);
    });
  });

  it('the setting X is read from the file that X_FILE names, without the line break at its end', () => {
    expect(read({ SECRET_FILE: file('secret', 'hush\n') }).SECRET).toBe('hush');
    expect(read({ PORT_FILE: file('port', '81') }).PORT).toBe(81);
  });

  it('a setting is refused that is set both as X and as X_FILE', () => {
    expect(() => read({ SECRET: 'a', SECRET_FILE: file('b', 'b') })).toThrow('SECRET: is set twice');
  });

  it('a wrong value is never shown, because it may be a secret in the wrong place', () => {
    expect(() => read({ PORT: 'hunter2' })).not.toThrow('hunter2');
  });
});
