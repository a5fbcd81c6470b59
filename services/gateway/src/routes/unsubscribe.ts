import { type IdentityVerifier, noStore, resource } from '@sigcast/http';
import type { IRouter, Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { isMailKind, mailKinds } from '../domain/mail/kinds.ts';
import type { MailSettingsStore } from '../domain/mail/settings.ts';

export type UnsubscribeDeps = {
  readonly settings: Pick<MailSettingsStore, 'change'>;
  /** Verifies the token of a mail's link. */
  readonly verify: IdentityVerifier;
};

const policy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    styleSrc: ["'unsafe-inline'"],
  },
});

/**
 * `/mail/unsubscribe`, where the link of a mail leads. A POST switches off mails of its kind, for people and for mail programs
 * (RFC 8058), without a session. A GET only shows a button, because scanners of mail follow links.
 */
export function unsubscribeRoute(router: IRouter, { settings, verify }: UnsubscribeDeps): void {
  const answer =
    (act: (asked: NonNullable<ReturnType<typeof whoAsks>>) => Promise<string>): RequestHandler =>
    async (req, res) => {
      const asked = whoAsks(verify, req);
      if (asked === undefined) res.status(400);
      res.send(page(asked === undefined ? invalid : await act(asked)));
    };
  const show = answer(
    async ({ about }) =>
      `<p>Do you want no more mails about ${about}?</p><form method="post"><button>Unsubscribe</button></form>`,
  );
  const switchOff = answer(async ({ account, about, off }) => {
    await settings.change(account, off);
    return `<p>You get no more mails about ${about}. You can switch them on again in your <a href="/profile">profile</a>.</p>`;
  });
  resource(router, '/mail/unsubscribe', { GET: [noStore, policy, show], POST: [noStore, policy, switchOff] });
}

const invalid =
  '<p>This link is not valid, or no longer. You can switch off mails in your <a href="/profile">profile</a>.</p>';

/** Undefined for a link that is not one of ours, or too old. */
function whoAsks(verify: IdentityVerifier, req: Request) {
  const token = new URLSearchParams(req.url.split('?')[1]).get('token') ?? '';
  try {
    const { subject: account, scopes } = verify(token);
    const [kind] = scopes;
    if (!isMailKind(kind)) return undefined;
    const { about, off } = mailKinds[kind];
    return off === null ? undefined : { account, about, off };
  } catch {
    return undefined;
  }
}

const style =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}';

function page(body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Mails of Sigcast</title><style>${style}</style></head>
<body><main><h1>Mails of Sigcast</h1>${body}</main></body></html>
`;
}
