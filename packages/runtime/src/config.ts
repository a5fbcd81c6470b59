import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { plainMessage } from './plain-message.ts';

/** The environment as `process.env` gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown when settings are missing or wrong; the message lists every one of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings that `shape` names from the environment into one readonly object. Instead of `X`, the variable
 * `X_FILE` may name a file with the value, such as a container's mounted secret. An empty variable counts as absent.
 *
 * @throws {ConfigError} naming every bad or missing variable at once.
 */
export function readConfig<S extends z.ZodRawShape>(
  shape: S,
  env: Environment,
): Readonly<z.infer<z.ZodObject<S>>> {
  const problems: string[] = [];
  const values: Record<string, string> = {};
  for (const name of Object.keys(shape)) {
    const value = readVariable(name, env, problems);
    if (value !== undefined) values[name] = value;
  }
  const parsed = z.object(shape).safeParse(values, { error: plainMessage });
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0]);
      problems.push(`${name}: ${values[name] === undefined ? 'is required' : issue.message}`);
    }
  }
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(`These settings are wrong:\n${problems.map((p) => `  ${p}`).join('\n')}`);
  }
  return Object.freeze(parsed.data);
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** A function that reads some settings, and their shape, which describes each of them. */
export type SettingsReader<S extends Shape = Shape> = {
  /** @throws {ConfigError} naming every setting that is wrong. */
  (env: Environment): Readonly<z.infer<z.ZodObject<S>>>;
  readonly shape: S;
};

/** Makes the function that reads the settings of a program. Each says what it is for, with its unit, by `describe`. */
export function reads<S extends Shape>(shape: S): SettingsReader<S> {
  return Object.assign((env: Environment) => readConfig(shape, env), { shape });
}

function readVariable(name: string, env: Environment, problems: string[]): string | undefined {
  const direct = env[name];
  const file = env[`${name}_FILE`];
  if (direct && file) {
    problems.push(`${name}: is set twice, as ${name} and as ${name}_FILE`);
    return undefined;
  }
  if (!file) return direct || undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    problems.push(`${name}_FILE: can't be read (${(cause as Error).message})`);
    return undefined;
  }
}

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
};

/** Splits at the commas before a protocol. Other commas may be part of a password. */
function splitAddresses(text: string, protocols: readonly string[]): readonly string[] {
  const next = protocols.map((protocol) => `${protocol}//`).join('|');
  return text.split(new RegExp(`,\\s*(?=${next})`)).map((part) => part.trim());
}

/** Whether this is an address with a host. An `@` after the host means that a password is not percent-encoded. */
function isAddress(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  if (url === null || !protocols.includes(url.protocol)) return false;
  return (
    /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(url.hostname) &&
    !`${url.pathname}${url.search}${url.hash}`.includes('@')
  );
}

/** An address that begins with one of the protocols. */
const url = (...protocols: string[]) =>
  z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), {
    message: `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
  });

const flag = (fallback: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(fallback)
    .transform((text) => text === 'true');

/** The kinds of settings. */
export const settings = {
  /** A whole number within bounds, with a default. */
  integer: (fallback: number, min: number, max: number) => wholeNumber(min, max).default(fallback),
  /** TCP port; 0 lets the system choose. */
  port: (fallback: number) => wholeNumber(0, 65_535).default(fallback),
  /** TCP port of a server that runs only if the port is given. */
  optionalPort: wholeNumber(0, 65_535).optional(),
  host: z.string().min(1).default('127.0.0.1'),
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  url,
  /** An http or https address that paths are added to. Its value has no slash at its end. */
  baseUrl: url('http:', 'https:')
    .refine((text) => !/[?#@]/.test(text), 'must be an address without a user, a query or a fragment')
    .transform((text) => text.replace(/\/+$/, '')),
  /** A header that goes with requests, as `name: value`. */
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]+: [\x21-\x7e]+$/, 'must be a header with a key, such as `x-cg-pro-api-key: …`'),
  /** Text that `check` accepts. The message of `check`'s error is shown, so it must not contain the text. */
  checked: (check: (text: string) => unknown) =>
    z.string().superRefine((text, context) => {
      try {
        check(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    }),
  /** One or several addresses, separated by commas, in order. */
  urls: (...protocols: string[]) => {
    const forms = protocols.map((p) => `${p}//`).join(' or ');
    return z
      .string()
      .transform((text) => splitAddresses(text, protocols))
      .refine((urls) => urls.every((url) => isAddress(url, protocols)), {
        message: `must be one address or several, separated by commas, each beginning with ${forms}, user and password percent-encoded`,
      });
  },
  /** One or more PEM blocks, one after the other. */
  pem: z.string().regex(/-----BEGIN [A-Z ]+-----/, 'must be in PEM form'),
  name: (fallback: string) => z.string().min(1).max(60).default(fallback),
  /** A part of a whole, from 0 (nothing) to 1 (everything), as a decimal number. */
  share: (fallback: number) =>
    z
      .string()
      .refine((text) => /^(0|1|0?\.\d+|1\.0+)$/.test(text), 'must be a number from 0 to 1, such as 0.01')
      .transform(Number)
      .default(fallback),
  flag: flag('false'),
  /** A flag that is `true` unless it is set. */
  flagOn: flag('true'),
};

/**
 * The settings of every process that serves: where it listens, what it logs, where its metrics are, and how it stops.
 * @param about what is special, by the setting: the description that it has instead of the usual one.
 */
export const serverSettings = (port: number, about: Readonly<Record<string, string>> = {}) => ({
  HOST: settings.host.describe('Address to listen at; `0.0.0.0` in a container.'),
  PORT: settings.port(port).describe(about.PORT ?? 'TCP port; 0 lets the system choose.'),
  LOG_LEVEL: settings.logLevel.describe(
    'The least severe log lines that are written, as JSON on standard output.',
  ),
  METRICS_HOST: settings.host.describe(about.METRICS_HOST ?? 'Address that `/metrics` is served at.'),
  METRICS_PORT: settings.optionalPort.describe(
    about.METRICS_PORT ?? 'TCP port of `/metrics` for Prometheus; without it there are no metrics.',
  ),
  BUILD_COMMIT: z
    .string()
    .max(100)
    .default('unknown')
    .describe(
      'Commit that the program was built from, as `sigcast_build_info` shows it; images have it set.',
    ),
  SHUTDOWN_DELAY_MS: settings.integer(5_000, 0, 60_000).describe(
    // Longer than the 5 s for which clients may keep idle connections, too.
    'Milliseconds for which a process that is told to stop goes on serving and is not ready, so that load balancers notice.',
  ),
  SHUTDOWN_TIMEOUT_MS: settings
    .integer(20_000, 100, 300_000)
    .describe('Milliseconds after `SHUTDOWN_DELAY_MS` in which it finishes its work in hand.'),
});

/** The port of a process that serves nothing but its probes. */
export const probesPort =
  'TCP port of `/healthz` and `/readyz`, the only paths it serves; 0 lets the system choose.';

/** The values of {@link serverSettings}. */
export type ServerSettings = Readonly<z.infer<z.ZodObject<ReturnType<typeof serverSettings>>>>;

/** The settings of the message broker, the same for all services that use it. */
export const brokerSettings = {
  AMQP_URL: settings
    .urls('amqp:', 'amqps:')
    .describe(
      'Address of RabbitMQ, with user, password and virtual host; several, separated by commas, for a cluster.',
    ),
  AMQP_CA: settings.pem
    .optional()
    .describe('Certificates of the authorities that RabbitMQ is verified by, PEM; for `amqps:` addresses.'),
  BROKER_NAMESPACE: settings
    .name('')
    .describe(
      'Put in front of every exchange and queue, so that several systems can share one broker; the same for all services.',
    ),
};

/** Where the broker is, from settings that were read with {@link brokerSettings}. */
export function brokerFrom(config: {
  readonly AMQP_URL: readonly string[];
  readonly AMQP_CA?: string | undefined;
}) {
  return { urls: config.AMQP_URL, ca: config.AMQP_CA };
}

/** What a program that calls the signals service by itself needs, with a token of this scope. */
export const signalsAccess = (scope: string) => ({
  SIGNALS_URL: settings.baseUrl.describe('Address of the signals service.'),
  SIGNALS_TOKEN: z
    .string()
    // The characters that a header can carry.
    .regex(/^[\x21-\x7e]+$/, 'must be a service token: `gateway operator token create` makes one')
    .describe(`Service token with the scope \`${scope}\`.`),
});

/** What a service needs to know its callers. */
export const gatewayKeys = {
  GATEWAY_PUBLIC_KEYS: settings.pem.describe(
    'Public keys of the gateways whose identity tokens are accepted, one PEM block after the other.',
  ),
};
