import { type Content, type Link, shownInstant } from './content.ts';

/** A key that expires soon. */
export type ExpiringKey = {
  readonly name: string;
  readonly environment: string;
  readonly first: string;
  readonly last: string;
  readonly expires_at: string;
};

/** Says that a key expires soon. */
export function keyMail({ name, environment, first, last, expires_at }: ExpiringKey, link: Link): Content {
  const at = shownInstant(expires_at);
  return {
    subject: `API key ${name} expires at ${at}`,
    blocks: [
      `Your API key ${name} (${environment}, ${first}…${last}) expires at ${at}. Requests with the key fail from then on.`,
      'Rotate the key before, and use the new key. If you have replaced the key already, there is nothing to do.',
      { link: 'Rotate the key', to: link('/profile/api') },
    ],
  };
}
