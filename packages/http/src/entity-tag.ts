import { createHash } from 'node:crypto';

/**
 * A strong entity tag of some content (RFC 9110, 8.8.3): 132 bits of its SHA-256. Put `W/` in front for a weak tag, where
 * the content is sent in several encodings.
 */
export function entityTag(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}
