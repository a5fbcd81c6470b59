const title =
  'The client that blocks. Generated from async_client.py by `npx pnpm@12 client:python`: do not edit.';

/** Replacements that make the client for asyncio the client that blocks. */
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
  // Two imported names may have become one.
  [/^(from .* import .*?)\b(\w+), (?=.*\b\2\b)/gm, '$1'],
];

/** The source of the client that blocks, from the source of the client for asyncio. */
export function blockingClient(source: string): string {
  return rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), source);
}
