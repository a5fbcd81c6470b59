import type { SignalStatus, SignalType } from '@sigcast/client';
import type { ExitKind, Period } from '@sigcast/contracts';
import type { Tone } from '../../ui/tone.ts';

/** The names of the types of signals, in the API's order. */
export const typeWords: Readonly<Record<SignalType, string>> = {
  new: 'New',
  '3d': '3 days',
  '7d': '7 days',
  '30d': '30 days',
  wallet: 'Wallet',
  premium: 'Premium',
};

export const statusWords: Readonly<Record<SignalStatus, { readonly word: string; readonly tone: Tone }>> = {
  active: { word: 'Active', tone: 'info' },
  winner: { word: 'Winner', tone: 'good' },
  dead: { word: 'Dead', tone: 'neutral' },
  rugged: { word: 'Rugged', tone: 'bad' },
};

/** Of a winner that is below its entry by now: “Won, now −99%”. Of others, the status in a word. */
export function statusNow({ status, roi }: { status: SignalStatus; roi: number }): string {
  return status === 'winner' && roi < 0 ? `Won, now −${Math.round(-roi)}%` : statusWords[status].word;
}

/** Why an order was sold by the exit rule. */
export const exitWords: Readonly<Record<ExitKind, string>> = {
  target: 'Target',
  stop: 'Stop',
  end: 'Time over, dead or rugged',
};

/** The periods of statistics, and of a signal's history. */
export const periodWords: Readonly<Record<Period, string>> = {
  '24h': '24h',
  '7d': '7d',
  '30d': '30d',
  all: 'All',
};

/** The keys of a record, with their own type. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[];
}
