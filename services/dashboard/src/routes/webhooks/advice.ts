import type { Delivery } from '@sigcast/client';

type Attempted = Omit<NonNullable<Delivery['last_attempt']>, 'duration_ms'>;

/** What somebody can do about a failed attempt; undefined if there is nothing to do. */
export function adviceFor({ outcome, http_status: status, error }: Attempted): string | undefined {
  switch (outcome) {
    case 'succeeded':
    case 'interrupted':
      return undefined;
    case 'timeout':
      return 'Your receiver has 5 seconds. Answer 200 first, and do the work afterwards.';
    case 'refused_address':
      return 'Enter an https address that the internet reaches.';
    case 'connection':
      return connectionAdvice(error ?? '');
    case 'bad_status':
      return statusAdvice(status ?? 0);
  }
}

function connectionAdvice(error: string): string {
  if (error.includes('ECONNREFUSED')) {
    return 'Nothing listens at this address. Start your receiver, and check the host and the port.';
  }
  if (/ENOTFOUND|ENODATA|could not be resolved/.test(error)) {
    return 'Check the host name for typing errors, and its DNS records.';
  }
  if (error.includes('certificate')) {
    return 'Install a valid certificate from a public authority, with the whole chain.';
  }
  if (error.includes('TLS')) return 'Check that your server speaks TLS 1.2 or newer at this port.';
  if (error.includes('closed before')) return 'Your server closed the connection. Look at its log.';
  if (error.includes('not valid HTTP')) return 'Check the port: what answers there is not an HTTP server.';
  return 'Check that your server is reachable from the internet, and that no firewall blocks it.';
}

function statusAdvice(status: number): string {
  if (status === 401 || status === 403) {
    return 'Your receiver refused the request. Check that it has the signing secret of this webhook.';
  }
  if (status === 404 || status === 405) return 'Check the path of the address. The path must accept POST.';
  if (status === 410) return 'An answer of 410 disables the webhook. Answer 200 to receive events.';
  if (status === 429) return 'Your receiver limits requests. Allow more requests from Sigcast.';
  if (status >= 500) return 'Your receiver, or a proxy in front of it, failed. Look at the log there.';
  if (status >= 300 && status < 400) return 'Redirects are not followed. Enter the final address.';
  return 'Answer 200 when you have received an event. Any other status counts as a failure.';
}
