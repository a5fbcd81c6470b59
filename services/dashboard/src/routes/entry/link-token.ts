/** The token in the link of a mail, which the page was opened by. A fragment is sent to no server. */
export function linkToken(): string {
  return inLink().get('token') ?? '';
}

/** Whether the link of the mail says more of the account than its token does. */
export function linkHas(name: 'unconfirmed'): boolean {
  return inLink().has(name);
}

const inLink = () => new URLSearchParams(location.hash.slice(1));

/** What went wrong. No field shows the token. */
export function problemOfLink({
  problem,
  fields,
}: {
  readonly problem: unknown;
  readonly fields: Readonly<Record<string, string>>;
}): unknown {
  return fields.token === undefined
    ? problem
    : 'This link does not work, or no longer: it may be too old, or was used already.';
}
