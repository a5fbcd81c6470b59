import { isIP, type LookupFunction } from 'node:net';
import { waitAtMost } from '@sigcast/runtime';
import type { AddressPolicy } from './address-policy.ts';
import { failureText } from './failure-text.ts';

/** How long a request waits for name servers, in milliseconds. */
const timeoutMs = 1_000;

/** The errors by which name servers say that a name has no address. Any other error may be theirs. */
const nowhere: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Returns a function that says where the host name of a permitted address leads, if it leads nowhere: undefined when it has a
 * permitted IP address, and when name servers do not say so within a second.
 */
export function nameWarning(
  policy: AddressPolicy,
  lookup: LookupFunction,
): (url: string) => Promise<string | undefined> {
  return (url) => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) return Promise.resolve(undefined);
    const warning = new Promise<string | undefined>((resolve) => {
      lookup(host, { all: true }, (error, found) => {
        if (error) return resolve(nowhere.has(error.code) ? failureText(error) : undefined);
        const isPermitted = Array.isArray(found) && found.some(({ address }) => policy.allows(address));
        resolve(isPermitted ? undefined : 'The host name leads to no address that is permitted');
      });
    });
    return waitAtMost(timeoutMs, warning);
  };
}
