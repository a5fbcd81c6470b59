import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { curlCommand } from '../src/routes/webhooks/curl-command.ts';

/** The arguments that a shell passes to the command. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('an attempt copied as a curl command', () => {
  it('gives curl the same address, headers and bytes, whatever characters they contain', () => {
    const body = `{"name":"It's $HOME \`id\` \\"é\\" \\\\ ! @file"}`;
    const request = {
      url: 'https://example.com/hook?a=1&b=$(id)&c[]={d}',
      headers: [
        { name: 'host', value: 'example.com' },
        { name: 'content-length', value: '5' },
        { name: 'webhook-id', value: "evt_1'; id; '" },
      ],
    };
    expect(wordsOf(curlCommand(request, body))).toEqual([
      ...['-g', '-i', '-X', 'POST', request.url],
      ...['-H', 'Accept:'],
      ...['-H', "webhook-id: evt_1'; id; '"],
      ...['--data-raw', body],
    ]);
  });
});
