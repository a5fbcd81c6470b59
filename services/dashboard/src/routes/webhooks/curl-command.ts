import type { DeliveryAttempt } from '@sigcast/client';

/** Headers that curl sets itself. */
const ownHeaders = new Set(['host', 'content-length']);

/** A command for a POSIX shell that sends the request of an attempt again, byte for byte. */
export function curlCommand(request: NonNullable<DeliveryAttempt['request']>, body: string): string {
  const headers = request.headers.filter(({ name }) => !ownHeaders.has(name.toLowerCase()));
  return [
    // With -g, curl leaves brackets and braces of the address as they are. 'Accept:' removes the header that curl would add.
    `curl -g -i -X POST ${quoted(request.url)}`,
    "-H 'Accept:'",
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** A text as one word of a POSIX shell: within single quotes, only the quote has a special meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
