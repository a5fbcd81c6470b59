const title = 'The client that blocks. Made from async_client.py: `npx pnpm@12 client:python` writes it.';

/** What differs between the client that is awaited and the one that blocks. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/^""".*"""/, `"""${title}"""`],
  [/\bAsyncGenerator\[(\w+), None\]/g, 'Generator[$1, None, None]'],
  [/\basync (def|with|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\basync(?=contextmanager\b)/g, ''],
  [/\benter_async(?=_context\b)/g, 'enter'],
  [/\ba(?=(close|iter_bytes|next)\b)/g, ''],
  [/\b__a(?=(enter|exit)__)/g, '__'],
];

/** The source of the client that blocks, from that of the client that is awaited. */
export function blockingClient(source: string): string {
  return rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), source);
}
