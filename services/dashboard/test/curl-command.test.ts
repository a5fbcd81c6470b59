import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { curlCommand } from '../src/routes/webhooks/curl-command.ts';

/** The words that a shell makes of a command. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('an attempt copied as a curl command', () => {
  it('is the same address, headers and bytes to a shell, whatever stands in them', () => {
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
