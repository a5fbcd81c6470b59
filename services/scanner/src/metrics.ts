import type { SignalType } from '@sigcast/contracts';
import { signalTypes } from '@sigcast/contracts';
import { addGauges } from '@sigcast/http';
import type { SourceAnswer } from '@sigcast/market';
import { Counter, type Registry } from 'prom-client';
import { type Reason, reasons } from './domain/rules/v1.ts';

/** Sources, each with a limit of its own. */
export const sourceNames = [
  'dexscreener-lists',
  'dexscreener',
  'dexscreener-orders',
  'geckoterminal',
] as const;
export type SourceName = (typeof sourceNames)[number];

/** The scanner's metrics. Each label has few values: never a token. */
export class ScannerMetrics {
  readonly #registry: Registry;
  readonly #requests: Counter<'source' | 'outcome'>;
  readonly #listed: Counter<'list' | 'kind'>;
  readonly #refused: Counter<'type' | 'reason'>;
  readonly #made: Counter<'type'>;
  readonly #sent: Counter<'result'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#requests = new Counter({
      name: 'sigcast_scanner_source_requests_total',
      help: 'Requests to sources.',
      labelNames: ['source', 'outcome'],
      registers,
    });
    this.#listed = new Counter({
      name: 'sigcast_scanner_listed_total',
      help: 'Tokens that lists named: all of them, and those that then waited to be judged.',
      labelNames: ['list', 'kind'],
      registers,
    });
    this.#refused = new Counter({
      name: 'sigcast_scanner_refusals_total',
      help: 'Tokens that were no signal of a type, by the first rule that said no.',
      labelNames: ['type', 'reason'],
      registers,
    });
    this.#made = new Counter({
      name: 'sigcast_scanner_signals_total',
      help: 'Signals that were made, by type.',
      labelNames: ['type'],
      registers,
    });
    this.#sent = new Counter({
      name: 'sigcast_scanner_sent_total',
      help: 'Requests for a signal that the signals service has answered for good.',
      labelNames: ['result'],
      registers,
    });
    // From the beginning, because Prometheus does not count the event with which a series appears.
    for (const source of sourceNames) this.#requests.inc({ source, outcome: 'answered' }, 0);
    for (const reason of reasons) this.#refused.inc({ type: 'all', reason }, 0);
    for (const type of signalTypes) this.#made.inc({ type }, 0);
    for (const result of ['made', 'refused']) this.#sent.inc({ result }, 0);
  }

  asked(source: SourceName, outcome: SourceAnswer['kind']): void {
    this.#requests.inc({ source, outcome });
  }

  listed(list: string, all: number, fresh: number): void {
    this.#listed.inc({ list, kind: 'all' }, all);
    this.#listed.inc({ list, kind: 'new' }, fresh);
  }

  refused(type: SignalType | 'all', reason: Reason): void {
    this.#refused.inc({ type, reason });
  }

  made(type: SignalType): void {
    this.#made.inc({ type });
  }

  sent(result: 'made' | 'refused'): void {
    this.#sent.inc({ result });
  }

  /** Adds the gauge of tokens that wait to be judged. */
  watchWaiting(count: () => number): void {
    const gauge = {
      name: 'sigcast_scanner_candidates_waiting',
      help: 'Tokens that wait to be judged by this process.',
    };
    addGauges(this.#registry, [gauge], () => Promise.resolve([count()]));
  }

  /** Adds the gauge of signals that wait to be sent. */
  watchUnsent(count: () => Promise<number>): void {
    const gauge = {
      name: 'sigcast_scanner_signals_unsent',
      help: 'Signals that were made and not sent yet, of all processes.',
    };
    addGauges(this.#registry, [gauge], async () => [await count()]);
  }
}
