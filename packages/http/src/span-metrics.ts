import { spanCounts } from '@sigcast/telemetry';
import { Counter, type Registry } from 'prom-client';

/** Adds the counter of exported and dropped spans. Shows nothing while tracing is off. */
export function addSpanCounter(registry: Registry): void {
  new Counter({
    name: 'sigcast_traces_spans_total',
    help: 'Spans of sampled traces, by whether the collector has them: exported, or dropped since they did not fit or were refused.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      const counts = spanCounts();
      this.reset();
      if (counts === undefined) return;
      for (const [outcome, spans] of Object.entries(counts)) this.inc({ outcome }, spans);
    },
  });
}
