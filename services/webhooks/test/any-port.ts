import type { PortRange } from '../src/sending/address-policy.ts';

/** Receivers of tests listen at any port. */
export const anyPort: readonly PortRange[] = [{ first: 1, last: 65_535 }];
