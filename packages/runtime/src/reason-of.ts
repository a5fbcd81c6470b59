/**
 * Why a connection or a request failed, in the error's own words. The error of a refused connection to several addresses
 * has an empty message, and a code.
 */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
