import { Sigcast } from '../../sigcast.ts';
import type { Command } from '../command.ts';
import { configFile, deleteCredentials, readKey, readUrl, storeCredentials } from '../credentials.ts';
import { CliError, exits, wrongUsage } from '../exits.ts';

const login: Command = {
  name: 'login',
  summary: 'Read an API key from standard input, and store it for later commands',
  tooMany: 'login takes no argument: type the key when you are asked for it, or pipe it',
  details: `The key is not shown while it is typed; it can also come from a pipe: sigcast login --url <url> < key.txt
It is tried once, and stored in a file that only you can read (mode 0600).`,
  run: async ({ values, show, io }) => {
    const { env } = io;
    const url = readUrl(values.text('url'), '--url') ?? readUrl(env.SIGCAST_URL, 'SIGCAST_URL');
    if (url === undefined) throw wrongUsage('The API’s address is missing: sigcast login --url <url>');
    const apiKey = readKey((await io.readSecret('API key: ')).trim(), 'What came');
    if (apiKey === undefined) throw new CliError(exits.credentials, 'No key came on standard input');
    await new Sigcast({ apiKey, baseUrl: url }).signals.list({ limit: 1 });
    const file = configFile(env);
    await storeCredentials(file, { apiKey, url });
    show({ file, url }, () => [`Stored the key for ${url} in ${file}`]);
  },
};

const logout: Command = {
  name: 'logout',
  summary: 'Delete the stored key from this machine; it stays valid until it is revoked',
  run: async ({ show, io }) => {
    const file = configFile(io.env);
    await deleteCredentials(file);
    show({ file }, () => [`No key is stored in ${file}`]);
  },
};

export const loginCommands: readonly Command[] = [login, logout];
