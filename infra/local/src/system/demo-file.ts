import { rmSync } from 'node:fs';
import type { Credentials } from './credentials.ts';
import type { System } from './system.ts';
import { writeWhole } from './write-whole.ts';

/** Where clients and producers reach a system. */
type Addresses = Pick<System, 'gatewayUrl' | 'signalsUrl'>;

/** Writes the file with the addresses and secrets of the running system, in one step. Only its owner may read it. */
export function writeDemoFile(file: string, system: Addresses, known: Credentials): void {
  const demo = {
    gateway_url: system.gatewayUrl,
    api_key: known.apiKey,
    dashboard_url: `${system.gatewayUrl}/home`,
    dashboard_email: known.email,
    dashboard_password: known.password,
    signals_url: system.signalsUrl,
    ingest_token: known.ingestToken,
  };
  writeWhole(file, `${JSON.stringify(demo, null, 2)}\n`);
}

/** Removes the file: its presence means that everything is ready. */
export function removeDemoFile(file: string): void {
  rmSync(file, { force: true });
}

/** The text for a person when everything is ready. `ending` says how the system is stopped. */
export function banner(
  system: Addresses,
  known: Credentials,
  { demoFile, mailDir }: { readonly demoFile: string; readonly mailDir?: string },
  ending = 'Ctrl-C stops everything and keeps the data.',
): string {
  const auth = `-H 'Authorization: Bearer ${known.apiKey}'`;
  return [
    '',
    'Sigcast is ready.',
    `  Dashboard      ${system.gatewayUrl}/home`,
    `                 ${known.email}, password ${known.password}`,
    `  Documentation  ${system.gatewayUrl}/docs`,
    `  API key        ${known.apiKey}`,
    ...(mailDir === undefined ? [] : [`  Mails          ${mailDir}`]),
    `  Everything     ${demoFile}`,
    '',
    'Try it:',
    `  curl ${auth} '${system.gatewayUrl}/v1/signals?limit=3'`,
    `  curl ${auth} '${system.gatewayUrl}/v1/signals?status=winner&type=new,premium'`,
    `  curl ${auth} '${system.gatewayUrl}/v1/stats?period=30d'`,
    '',
    ending,
  ].join('\n');
}
