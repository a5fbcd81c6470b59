import { ConfigError, type Environment } from '@sigcast/runtime';

/** One setting of a program. */
export type Setting = {
  readonly name: string;
  readonly required: boolean;
  /** The default, as one would write it; absent without a default. */
  readonly fallback?: string;
  /** The program's message about valid values; absent when any text is valid. */
  readonly values?: string;
};

/** A value that is accepted only by settings that accept any text. */
const nonsense = '?';

const publicKey = '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----';

/** Values that settings of each kind accept, tried in this order. */
const samples = [
  ...['text', '1', 'true', publicKey],
  ...['http://host', 'mongodb://host', 'amqp://host', 'redis://host'],
];

/**
 * The settings that `read` reads, in its order. They are found by calling `read`: with nothing set its error names the
 * required ones, with nonsense its error says what is valid, and with only the required ones it returns the defaults.
 *
 * @throws when a required setting accepts none of the samples.
 */
export function settingsOf(read: (env: Environment) => object): Setting[] {
  const names = namesRead(read);
  const required = new Set(names.filter((name) => problem(read, {}, name) === 'is required'));
  const env = Object.fromEntries([...required].map((name) => [name, sampleFor(read, name)]));
  const values = new Map(Object.entries(read(env)));
  return names.map((name) => {
    const fallback = required.has(name) ? undefined : asText(values.get(name));
    const mustBe = wording(problem(read, { [name]: nonsense }, name));
    return {
      name,
      required: required.has(name),
      ...(fallback !== undefined && { fallback }),
      ...(mustBe !== undefined && { values: mustBe }),
    };
  });
}

/** The variables that `read` looks up, without each `X_FILE` that is only another way to give `X`. */
function namesRead(read: (env: Environment) => object): string[] {
  const asked = new Set<string>();
  const recording = new Proxy<Record<string, string>>(
    {},
    {
      get: (_target, name) => {
        asked.add(String(name));
        return undefined;
      },
    },
  );
  problems(read, recording);
  return [...asked].filter((name) => !asked.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE'));
}

function sampleFor(read: (env: Environment) => object, name: string): string {
  const sample = samples.find((value) => problem(read, { [name]: value }, name) === undefined);
  if (sample === undefined) throw new Error(`${name}: none of ${samples.join(', ')} is accepted`);
  return sample;
}

/** The error of `read` about one setting with this environment, if any. */
function problem(read: (env: Environment) => object, env: Environment, name: string): string | undefined {
  const line = problems(read, env).find((text) => text.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}

function problems(read: (env: Environment) => object, env: Environment): string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.trim());
  }
}

function wording(text: string | undefined): string | undefined {
  return text?.replace(/^must (be one of |be |name )?/, '');
}

function asText(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return text === '' ? undefined : text;
}
