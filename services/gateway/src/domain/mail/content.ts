/** A row of a table. `to`: where its first cell leads. */
export type Row = { readonly cells: readonly string[]; readonly to?: string };

/** A part of a mail. Its texts may hold anything: they are shown as they are, never as HTML. */
export type Block =
  | string
  | { readonly rows: readonly Row[] }
  | { readonly link: string; readonly to: string };

/** What a mail says, whatever its format. */
export type Content = {
  readonly subject: string;
  readonly blocks: readonly Block[];
  /** Whether a letter goes to the holder of an account, at an address that is confirmed. */
  readonly isConfirmed?: boolean;
};

/** The address of a page or a path of the gateway. */
export type Link = (path: string) => string;

/** An instant as mails show it. */
export function shownInstant(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}
