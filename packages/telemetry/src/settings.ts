import { settings } from '@sigcast/runtime';
import { z } from 'zod';

/**
 * Every process's settings of traces, named by OpenTelemetry's Environment Variable Specification. Without an endpoint
 * nothing is traced.
 */
export const tracingSettings = {
  /** The collector's address for OTLP over HTTP; `/v1/traces` is added. */
  OTEL_EXPORTER_OTLP_ENDPOINT: settings
    .url('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), 'must be an address without a query or a fragment')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  /** Only samplers that follow the decision made where the trace began. The others of the specification would split traces. */
  OTEL_TRACES_SAMPLER: z
    .enum(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('parentbased_traceidratio'),
  /** The share of traces that `parentbased_traceidratio` keeps. */
  OTEL_TRACES_SAMPLER_ARG: settings.share(0.01),
};

/** A service's setting of its access log, with the default share. */
export const accessLogSettings = (share = 1) => ({
  /** The share of answers with a log line, among those that anybody can cause in any number. */
  ACCESS_LOG_SHARE: settings.share(share),
});

/** The values of {@link tracingSettings}. */
export type TracingSettings = Readonly<z.infer<z.ZodObject<typeof tracingSettings>>>;
