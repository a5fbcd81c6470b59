import type { ErrorDetail } from '@sigcast/contracts';
import type { z } from 'zod';

/** The most characters of a field's name in a message. A client may have made up a longer one. */
const maxFieldCharacters = 100;

/** Zod's issue as `{ field, message }`, one for each unknown key. */
export function issueDetails(issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: fieldName([...path, key]), message: 'is not known' }));
  }
  return [{ field: fieldName(path), message: issue.message }];
}

/** Removes repeated details: several entries of a list may be wrong in the same way. */
export function distinct(details: readonly ErrorDetail[]): ErrorDetail[] {
  return [...new Map(details.map((detail) => [`${detail.field}\n${detail.message}`, detail])).values()];
}

/** A detail for each text in a value that holds a lone surrogate, which UTF-8 can't encode (RFC 8259, 8.2). */
export function invalidTexts(value: unknown): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  const open: { readonly at: readonly string[]; readonly value: unknown }[] = [{ at: [], value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, value: item } = next;
    if (typeof item === 'string') {
      if (!item.isWellFormed()) {
        found.push({ field: fieldName(at), message: 'must be valid Unicode, without lone surrogates' });
      }
    } else if (typeof item === 'object' && item !== null) {
      for (const [name, member] of Object.entries(item)) open.push({ at: [...at, name], value: member });
    }
  }
  return found.reverse();
}

/** A field's path as error details name it, such as `size.width`. */
export function fieldName(path: readonly string[]): string {
  const name = path.join('.').toWellFormed();
  return name.length <= maxFieldCharacters ? name : `${name.slice(0, maxFieldCharacters).toWellFormed()}…`;
}
