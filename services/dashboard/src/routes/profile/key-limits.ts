import { type ApiKeyView, type ApiScope, apiScopeNames } from '@sigcast/contracts';

/** What a key may do less than its account, as the fields of a form have it. */
export type KeyLimitFields = {
  /** Whether the key may do everything; `scopes` are chosen otherwise. */
  readonly all: boolean;
  readonly scopes: readonly ApiScope[];
  /** One network in each line. */
  readonly networks: string;
  readonly perMinute: string;
};

/** The fields of a key that may do everything its account may. */
export const noLimits: KeyLimitFields = { all: true, scopes: [], networks: '', perMinute: '' };

type Limits = Pick<ApiKeyView, 'scopes' | 'networks' | 'requests_per_minute'>;

export function fieldsOf({ scopes, networks, requests_per_minute: perMinute }: Limits): KeyLimitFields {
  return {
    all: scopes === null,
    scopes: scopes ?? [],
    networks: networks?.join('\n') ?? '',
    perMinute: perMinute === null ? '' : String(perMinute),
  };
}

/** The fields as the API takes them. */
export function limitsOf({ all, scopes, networks, perMinute }: KeyLimitFields): Limits {
  const lines = linesOf(networks);
  return {
    scopes: all ? null : apiScopeNames.filter((scope) => scopes.includes(scope)),
    networks: lines.length === 0 ? null : lines,
    requests_per_minute: perMinute.trim() === '' ? null : Number(perMinute),
  };
}

/** The fields that a form shows problems of: those of the API, and each network. */
export const limitFieldNames: readonly string[] = [
  ...['scopes', 'networks', 'requests_per_minute'],
  ...Array.from({ length: 20 }, (_, at) => `networks.${at}`),
];

/** What is wrong with the networks, with the line that it is about. */
export function networksProblem(
  problems: Readonly<Record<string, string>>,
  networks: string,
): string | undefined {
  if (problems.networks !== undefined) return problems.networks;
  const lines = linesOf(networks);
  const at = lines.findIndex((_, index) => problems[`networks.${index}`] !== undefined);
  return at < 0 ? undefined : `${lines[at]}: ${problems[`networks.${at}`]}`;
}

/** What a key may do, in a line: `signals:read, stats:read · from 203.0.113.0/24 · 20 a minute`. Empty where it may do everything. */
export function limitWords({ scopes, networks, requests_per_minute: perMinute }: Limits): string {
  return [
    ...(scopes === null ? [] : [scopes.join(', ')]),
    ...(networks === null ? [] : [`from ${networks.slice(0, 2).join(', ')}${more(networks.length - 2)}`]),
    ...(perMinute === null ? [] : [`${perMinute} a minute`]),
  ].join(' · ');
}

function more(count: number): string {
  return count > 0 ? ` and ${count} more` : '';
}

function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
