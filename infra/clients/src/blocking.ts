import { notice } from './lines.ts';

/** Replacements that make a source for asyncio one that blocks, in the folder of generated files. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/^""".*"""/, `"""Without asyncio. ${notice}"""`],
  // From the folder above, unless it is generated itself.
  [/^from \.(?=[a-z])/gm, 'from ..'],
  [/^from \.\.generated\./gm, 'from .'],
  [/^from \.\.?async_/gm, 'from .'],
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

/** The source of what blocks, from a source for asyncio. */
export function blocking(source: string): string {
  return rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), source);
}
