import { Copyable } from '../../ui/copyable.tsx';
import { curlLine, maskedKey } from './snippets.ts';

/** The command that asks for signals: copied with the key that was just made, shown without. */
export function KeyCommand({ apiKey }: { apiKey: string | undefined }) {
  const shown = curlLine(location.origin, apiKey === undefined ? undefined : maskedKey(apiKey));
  return <Copyable text={curlLine(location.origin, apiKey)} shown={shown} label="Command" />;
}
