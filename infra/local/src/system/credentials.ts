import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { System } from './system.ts';
import { writeWhole } from './write-whole.ts';

/** The secrets with which a developer uses the running system. They are kept over restarts. */
export type Credentials = {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly ingestToken: string;
  /** The service token of the tracker's poller. */
  readonly trackerToken: string;
  readonly scannerToken: string;
};

/** The parts of a system that are needed to make credentials. */
type CredentialSource = Pick<System, 'gatewayUrl' | 'signalsUrl' | 'operator'>;

const email = 'demo@sigcast.test';

/** The credentials of the earlier run while they still work, or new ones. */
export async function credentials(file: string, system: CredentialSource): Promise<Credentials> {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : undefined;
  if (known && (await works(known, system))) return known;
  const password = known?.password ?? randomBytes(18).toString('base64url');
  const passwordFile = `${file}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  await system.operator(
    ...['account', 'create', '--email', email, '--password-file', passwordFile, '--if-missing'],
  );
  const { key } = await system.operator<{ key: string }>(
    ...['key', 'create', '--account', email, '--name', 'local', '--environment', 'development'],
  );
  const token = async (subject: string, scope: string) => {
    const command = ['token', 'create', '--subject', subject, '--scope', scope];
    return (await system.operator<{ token: string }>(...command)).token;
  };
  const ingestToken = await token('local-producer', 'signals:write');
  const trackerToken = await token('tracker', 'signals:decide');
  const scannerToken = await token('scanner', 'signals:write');
  const made: Credentials = { email, password, apiKey: key, ingestToken, trackerToken, scannerToken };
  writeWhole(file, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** Whether the system takes the key and the tokens, which expire together. It does not after an expiry, with another key pair or a new database. */
async function works(known: Credentials, system: CredentialSource): Promise<boolean> {
  const key = await fetch(`${system.gatewayUrl}/v1/webhooks`, {
    headers: { authorization: `Bearer ${known.apiKey}` },
  });
  // 400 for the empty body means that the token was accepted.
  const token = await fetch(`${system.signalsUrl}/internal/v1/signals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${known.ingestToken}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return key.status !== 401 && key.status !== 403 && token.status === 400;
}
