import type { DeliveryAttempt } from '@sigcast/contracts';

/** What curl works out by itself. */
const ownHeaders = new Set(['host', 'content-length']);

/** A command for a POSIX shell that sends the request of an attempt again, byte for byte. */
export function curlCommand(request: NonNullable<DeliveryAttempt['request']>, body: string): string {
  const headers = request.headers.filter(({ name }) => !ownHeaders.has(name.toLowerCase()));
  return [
    // -g: brackets and braces of the address stay as they are. 'Accept:' leaves out the header that curl adds.
    `curl -g -i -X POST ${quoted(request.url)}`,
    "-H 'Accept:'",
    ...headers.map(({ name, value }) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** A text as one word of a POSIX shell: within single quotes nothing but the quote has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
