import { Copyable } from '../../ui/copyable.tsx';
import { curlLine, maskedKey } from './snippets.ts';

/** The command that asks for signals. It is copied with the key that was just made, and shown without the key. */
export function KeyCommand({ apiKey }: { apiKey: string | undefined }) {
  const shown = curlLine(location.origin, apiKey === undefined ? undefined : maskedKey(apiKey));
  return <Copyable text={curlLine(location.origin, apiKey)} shown={shown} label="Command" />;
}
