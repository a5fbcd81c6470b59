import { Fragment } from 'react';

/** The address of a webhook, which breaks between its parts where it does not fit in one line. */
export function Address({ url }: { url: string }) {
  return url.split(/(?<=[/?&])/).map((part, at) => (
    // Parts may be the same; an address never changes while it is shown.
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
}
