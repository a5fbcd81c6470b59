import { settings } from '@sigcast/runtime';
import { z } from 'zod';

/**
 * Every process's settings of traces, named by OpenTelemetry's Environment Variable Specification. Without an endpoint
 * nothing is traced.
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: settings
    .url('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), 'must be an address without a query or a fragment')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Address of an OpenTelemetry collector that takes OTLP over HTTP, such as `http://collector:4318`; without it nothing is traced.',
    ),
  /** Only samplers that follow the decision made where the trace began. The others of the specification would split traces. */
  OTEL_TRACES_SAMPLER: z
    .enum(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('parentbased_traceidratio')
    .describe(
      'Which of the traces that begin here are kept; one that began elsewhere is kept if it was kept there.',
    ),
  OTEL_TRACES_SAMPLER_ARG: settings
    .share(0.01)
    .describe('Share of the traces that `parentbased_traceidratio` keeps.'),
};

/** A service's setting of its access log, with the default share. */
export const accessLogSettings = (share = 1) => ({
  ACCESS_LOG_SHARE: settings
    .share(share)
    .describe(
      'Share of answers below 400, and of errors of an unknown, refused or limited caller, that get a log line; every other answer does.',
    ),
});

/** The values of {@link tracingSettings}. */
export type TracingSettings = Readonly<z.infer<z.ZodObject<typeof tracingSettings>>>;
