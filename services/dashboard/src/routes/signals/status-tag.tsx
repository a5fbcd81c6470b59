import type { SignalStatus } from '@sigcast/client';
import { Tag } from '../../ui/tag.tsx';
import { statusNow, statusWords } from './signal-words.ts';

/** The status of a signal, and what has become of a winner since. */
export function StatusTag(performance: { readonly status: SignalStatus; readonly roi: number }) {
  return <Tag tone={statusWords[performance.status].tone}>{statusNow(performance)}</Tag>;
}
