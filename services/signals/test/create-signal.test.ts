import { originSchema, sampleOf, signalDetailSchema, signalEventSchema } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { createSignal } from '../src/domain/create-signal.ts';
import { signalEvent, toDetail } from '../src/domain/signal.ts';
import { sampleId, sampleInput, sampleSignal } from './samples.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const threeHoursAgo = '2026-03-01T09:00:00.000Z';

const rejection = (changes: Parameters<typeof sampleInput>[0]) => {
  const creation = createSignal(sampleInput(changes), { now, newId: () => sampleId });
  return creation.kind === 'rejected' ? creation.details.map(({ field }) => field) : [];
};

describe('createSignal', () => {
  it('a new signal’s detail and event are valid by the contract', () => {
    const signal = sampleSignal(now);
    expect(signalDetailSchema.parse(toDetail(signal))).toEqual(toDetail(signal));
    const event = signalEvent('signal.new', signal, {
      id: 'evt_01J9ZQ6W8T3M5N7P9R1S3V5X7Z',
      source: 'producer',
    });
    expect(signalEventSchema.parse(event)).toEqual(event);
    expect(event).toMatchObject({ type: 'signal.new', rev: 1, occurred_at: now.toISOString() });
  });

  it('a new signal is active, has the entry as its market cap, and was created now', () => {
    expect(toDetail(sampleSignal(now))).toMatchObject({
      metrics: { mcap_entry: 100_000, mcap_current: 100_000, mcap_ath: 100_000 },
      performance: { roi: 0, ath_roi: 0, status: 'active', time_to_ath_hours: 0 },
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
      token: { socials: { telegram: '' } },
    });
  });

  it('the id of a new signal is made for its instant of creation', () => {
    const ids: number[] = [];
    createSignal(sampleInput({ created_at: threeHoursAgo }), {
      now,
      newId: (ms) => {
        ids.push(ms);
        return sampleId;
      },
    });
    expect(ids).toEqual([Date.parse(threeHoursAgo)]);
  });

  it('the current market cap of a new signal counts as an observation at creation', () => {
    expect(toDetail(sampleSignal(now, { mcap_current: 150_000 }))).toMatchObject({
      metrics: { mcap_ath: 150_000 },
      performance: { roi: 50, ath_roi: 50, time_to_ath_hours: 0 },
    });
  });

  it('the current market cap of a backdated signal counts as observed now', () => {
    const signal = sampleSignal(now, { created_at: threeHoursAgo, mcap_current: 150_000 });
    expect(toDetail(signal).performance.time_to_ath_hours).toBe(3);
    expect(signal.observedAt).toEqual(now);
  });

  it('the highest market cap of a new signal is never below the entry', () => {
    expect(toDetail(sampleSignal(now, { mcap_current: 25_000 }))).toMatchObject({
      metrics: { mcap_ath: 100_000 },
      performance: { roi: -75, ath_roi: 0, time_to_ath_hours: 0 },
    });
  });

  it('a creation up to a minute ahead counts as now, and a later one is refused', () => {
    const ahead = sampleSignal(now, { created_at: '2026-03-01T12:01:00.000Z' });
    expect(ahead.createdAt).toEqual(now);
    expect(rejection({ created_at: '2026-03-01T12:01:00.001Z' })).toEqual(['created_at']);
  });

  it('what a new signal rests on was observed at an instant in UTC, by which signals are filtered', () => {
    const origin = sampleOf(originSchema, { observed_at: '2026-03-01T13:00:00.5+02:00' });
    const creation = createSignal({ ...sampleInput(), origin }, { now, newId: () => sampleId });
    expect(creation).toMatchObject({ signal: { origin: { observed_at: '2026-03-01T11:00:00.500Z' } } });
  });

  it('a creation before 2009 is refused', () => {
    expect(rejection({ created_at: '2008-12-31T23:59:59.999Z' })).toEqual(['created_at']);
    const oldest = '2009-01-01T00:00:00.000Z';
    expect(sampleSignal(now, { created_at: oldest }).createdAt).toEqual(new Date(oldest));
  });

  it('a new signal whose gain no number holds exactly is refused', () => {
    expect(rejection({ mcap_entry: 5e-324, mcap_current: 1 })).toEqual(['metrics.mcap_current']);
  });
});
