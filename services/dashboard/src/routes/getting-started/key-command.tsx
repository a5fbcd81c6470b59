import { CopyableAs } from '../../ui/copyable-as.tsx';
import { curlLine, maskedKey } from './snippets.ts';

/** The command that asks for signals: copied with the key that was just made, shown without. */
export function KeyCommand({ apiKey }: { apiKey: string | undefined }) {
  const shown = curlLine(location.origin, apiKey === undefined ? undefined : maskedKey(apiKey));
  return <CopyableAs shown={shown} copied={curlLine(location.origin, apiKey)} label="Command" />;
}
