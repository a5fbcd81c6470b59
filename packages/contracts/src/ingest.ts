import { z } from 'zod';
import { evidenceSchema } from './events.ts';
import { originSchema } from './resources/origin.ts';
import { realizableSchema } from './resources/realizable.ts';
import {
  maxContractCharacters,
  maxSymbolCharacters,
  metricsSchema,
  signalIdSchema,
  signalStatusSchema,
  signalTypeSchema,
  tokenSchema,
} from './resources/signal.ts';
import { nameText } from './text.ts';
import { tolerant } from './tolerant.ts';

const usd = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
/** A link. Empty and null both mean none; answers have the empty text. */
const link = z
  .union(
    [z.literal(''), z.httpUrl().max(500)],
    'must be an http or https address of at most 500 characters, or empty',
  )
  .nullish()
  .transform((given) => given ?? '');
const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with a time zone' })
  .transform((value) => new Date(value));

/** A part of a signal as producers send it: a member that has a value for `absent` may be left out. */
function asGiven<S extends z.ZodObject>(schema: S): S {
  const members = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => {
    const { absent: value } = z.globalRegistry.get(member) ?? {};
    return [name, value === undefined ? member : member.default(value)];
  });
  return z.strictObject(Object.fromEntries(members)) as unknown as S;
}

/** Body of `POST /internal/v1/signals`, and one line of an NDJSON import. */
export const newSignalSchema = z.strictObject({
  token: asGiven(tokenSchema).extend({
    symbol: nameText(maxSymbolCharacters),
    name: nameText(200),
    contract: nameText(maxContractCharacters),
    age_hours: z.number().min(0).max(1e7),
    socials: z.strictObject({ twitter: link, telegram: link, website: link }).prefault({}),
  }),
  metrics: metricsSchema.omit({ mcap_ath: true }).extend({
    mcap_entry: usd.gt(0, 'must be above 0'),
    mcap_current: usd.optional(),
  }),
  type: signalTypeSchema,
  is_premium: z.boolean(),
  created_at: instant.optional(),
  /** What the signal rests on, where the producer is a program with rules. */
  origin: originSchema.optional(),
});
export type NewSignal = z.infer<typeof newSignalSchema>;
/** The body of a request that creates a signal. */
export type NewSignalRequest = z.input<typeof newSignalSchema>;

const patchFields = {
  metrics: metricsSchema.omit({ mcap_entry: true, mcap_ath: true }).partial().optional(),
  status: signalStatusSchema.optional(),
  /** What the decision about `status` rests on. */
  evidence: evidenceSchema.optional(),
  /** What the exit rule says as of this change; after an exit, no other result counts. */
  realizable: realizableSchema.optional(),
};
const changesSomething = ({
  metrics,
  status,
}: {
  readonly metrics?: object | undefined;
  readonly status?: string | undefined;
}) => status !== undefined || Object.keys(metrics ?? {}).length > 0;

const decidesSomething = ({
  status,
  evidence,
}: {
  readonly status?: string | undefined;
  readonly evidence?: object | undefined;
}) => evidence === undefined || status !== undefined;
const noDecision = { path: ['evidence'], message: 'must come with the status that it is for' };

/** Body of `PATCH /internal/v1/signals/{id}`. */
export const signalPatchSchema = z
  .strictObject({ ...patchFields, observed_at: instant.optional() })
  .refine(changesSomething, { message: 'The body must change metrics or status' })
  .refine(decidesSomething, noDecision);
export type SignalPatch = z.infer<typeof signalPatchSchema>;

/** The most observations in one request. */
export const maxObservations = 100;

const observationSchema = z
  .strictObject({ id: signalIdSchema, ...patchFields, observed_at: instant })
  .refine(changesSomething, { message: 'must change metrics or status' })
  .refine(decidesSomething, noDecision);
/** A patch of one signal, with the time it is from. */
export type Observation = z.infer<typeof observationSchema>;

/** Body of `POST /internal/v1/signals/observations`: observations of as many signals. */
export const observationsSchema = z.strictObject({
  observations: z
    .array(observationSchema)
    .min(1)
    .max(maxObservations)
    .superRefine((observations, context) => {
      const seen = new Set<string>();
      for (const [index, { id }] of observations.entries()) {
        if (seen.has(id)) {
          const message = 'is the id of an earlier observation in this request';
          context.addIssue({ code: 'custom', path: [index, 'id'], message });
        }
        seen.add(id);
      }
    }),
});

/** The answer to observations. `received` = `applied` + `unchanged` + `failed`. */
export const observationReportSchema = z.strictObject({
  received: z.int(),
  /** Observations that changed their signal; each made one event. */
  applied: z.int(),
  /** Observations that changed nothing: a newer one was applied before, or the same one. */
  unchanged: z.int(),
  failed: z.int(),
  /** The observations that failed, in the order of the request; `index` is the position there, from 0. */
  errors: z.array(
    z.strictObject({
      index: z.int(),
      id: z.string(),
      code: z.string(),
      message: z.string(),
      details: z.array(z.strictObject({ field: z.string(), message: z.string() })),
    }),
  ),
});
export type ObservationReport = z.infer<typeof observationReportSchema>;

/** The same for readers, which ignore unknown members. */
export const receivedObservationReportSchema = tolerant(observationReportSchema);
