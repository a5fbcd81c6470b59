import { plainMessage, type SettingsReader } from '@sigcast/runtime';

/** One setting of a program. */
export type Setting = {
  readonly name: string;
  readonly required: boolean;
  /** The default, as one would write it; absent without a default. */
  readonly fallback?: string;
  /** The program's message about valid values; absent when any text is valid. */
  readonly values?: string;
  /** What it is for, with its unit. */
  readonly description: string;
};

/** The settings that a program reads, in its order. @throws when one has no description. */
export function settingsOf({ shape }: Pick<SettingsReader, 'shape'>): Setting[] {
  return Object.entries(shape).map(([name, schema]) => {
    const absent = schema.safeParse(undefined);
    const fallback = absent.success ? asText(absent.data) : undefined;
    // Nonsense, which only those accept that accept any text.
    const refused = schema.safeParse('?', { error: plainMessage }).error?.issues[0]?.message;
    const values = refused?.replace(/^must (be one of |be |name )?/, '');
    const { description } = schema;
    if (description === undefined) throw new Error(`${name} has no description where it is declared`);
    return {
      name,
      required: !absent.success,
      ...(fallback !== undefined && { fallback }),
      ...(values !== undefined && { values }),
      description,
    };
  });
}

function asText(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
  return text === '' ? undefined : text;
}
