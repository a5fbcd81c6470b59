import type { SignalStatus } from '@sigcast/client';
import { Tag } from '../../ui/tag.tsx';
import { statusWords } from './signal-words.ts';

/** The status of a signal. */
export function StatusTag({ status }: { status: SignalStatus }) {
  const { word, tone } = statusWords[status];
  return <Tag tone={tone}>{word}</Tag>;
}
