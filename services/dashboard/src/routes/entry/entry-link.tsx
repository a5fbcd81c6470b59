import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

/**
 * A link to a page that asks for the same e-mail address, which it carries in the entry of the history: no URL, and so no log of a
 * server, has the address.
 */
export function EntryLink({ to, email, children }: { to: string; email: string; children: string }) {
  return (
    <Link href={to} state={{ email }} asChild>
      <Anchor inherit>{children}</Anchor>
    </Link>
  );
}

/** The e-mail address that an {@link EntryLink} to this page has carried; empty where none has. */
export function carriedEmail(): string {
  const state = history.state as { readonly email?: string } | null;
  return state?.email ?? '';
}
