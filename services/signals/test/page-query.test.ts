import type { SignalStatus } from '@sigcast/contracts';
import { expect, it } from 'vitest';
import { branchWaves, merged } from '../src/store/page-query.ts';

it('a list of several statuses has a signal whose status changes while it is read once, as it was read last', async () => {
  const signals = new Map<string, SignalStatus>([
    ['sig_1', 'active'],
    ['sig_2', 'winner'],
    ['sig_3', 'active'],
  ]);
  type Asked = {
    status: SignalStatus | undefined;
    answer: (found: { _id: string; created_at: Date; status: SignalStatus }[]) => void;
  };
  const asked: Asked[] = [];
  // What is asked at once is answered in the worst order, and after the first answer the signal changes.
  const answerAll = () => {
    for (const { status, answer } of asked.splice(0).reverse()) {
      const found = [...signals].filter(([, own]) => own === status);
      answer(found.map(([_id, own]) => ({ _id, created_at: new Date(0), status: own })));
      signals.set('sig_1', 'winner');
    }
  };
  const page = await merged(
    branchWaves({ types: undefined, statuses: ['active', 'winner'] }),
    10,
    ({ status }) => {
      if (asked.length === 0) setImmediate(answerAll);
      return new Promise<{ _id: string; created_at: Date; status: SignalStatus }[]>((answer) =>
        asked.push({ status, answer }),
      );
    },
  );
  expect(page.map(({ _id, status }) => [_id, status])).toEqual([
    ['sig_3', 'active'],
    ['sig_2', 'winner'],
    ['sig_1', 'winner'],
  ]);
});
