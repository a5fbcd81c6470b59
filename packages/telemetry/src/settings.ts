import { settings } from '@sigcast/runtime';
import { z } from 'zod';

/**
 * The settings of every process's traces, by the names of OpenTelemetry's specification (Environment Variable
 * Specification). Without an endpoint there are none.
 */
export const tracingSettings = {
  /** The collector's address for OTLP over HTTP; `/v1/traces` is added. */
  OTEL_EXPORTER_OTLP_ENDPOINT: settings
    .url('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), 'must be an address without a query or a fragment')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  /** Others of the specification's ignore what was decided where a trace began, and would cut traces in pieces. */
  OTEL_TRACES_SAMPLER: z
    .enum(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('parentbased_traceidratio'),
  /** The share of traces that `parentbased_traceidratio` keeps. */
  OTEL_TRACES_SAMPLER_ARG: settings.share(0.01),
};

/** The setting of a service's access log, with its default. */
export const accessLogSettings = (share = 1) => ({
  /** Of the answers that anybody can cause in any number, the share that gets a log line. */
  ACCESS_LOG_SHARE: settings.share(share),
});

/** What these settings say. */
export type TracingSettings = Readonly<z.infer<z.ZodObject<typeof tracingSettings>>>;
