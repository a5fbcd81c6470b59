/** A request's headers, as `fetch` or as Node gives them; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** A header's value; undefined where it is missing or empty. */
export function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  const value = typeof headers.get === 'function' ? headers.get(name) : plainHeader(headers as object, name);
  return value || undefined;
}

function plainHeader(headers: object, name: string): string {
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => (value ?? []) as string | string[])
    .join(' ');
}
