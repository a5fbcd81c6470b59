import { useMemo, useRef, useState } from 'react';
import { exactTime, sentence } from '../ui/format.ts';
import { ApiError } from './http.ts';

/** The state of what a form or a button does. */
export type Action<Args extends unknown[]> = {
  readonly run: (...args: Args) => Promise<boolean>;
  readonly pending: boolean;
  /** What is wrong with each field, in a sentence. */
  readonly fields: Readonly<Record<string, string>>;
  /** What went wrong, unless a field shows it. */
  readonly problem: unknown;
  readonly reset: () => void;
};

/**
 * Runs something that the service may refuse, never twice at once, and keeps its problems. `run` resolves to whether it was
 * done.
 * @param known fields that show what is wrong with them.
 */
export function useAction<Args extends unknown[]>(
  work: (...args: Args) => Promise<void>,
  known: readonly string[] = [],
): Action<Args> {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const busy = useRef(false);
  const fields = useMemo(() => {
    const said = error instanceof ApiError ? error.fields : {};
    return Object.fromEntries(Object.entries(said).map(([field, message]) => [field, sentence(message)]));
  }, [error]);
  const placed = known.some((field) => fields[field] !== undefined);
  return {
    run: async (...args) => {
      if (busy.current) return false;
      busy.current = true;
      setPending(true);
      setError(undefined);
      try {
        await work(...args);
        return true;
      } catch (reason) {
        setError(reason);
        return false;
      } finally {
        busy.current = false;
        setPending(false);
      }
    },
    pending,
    fields,
    problem: placed ? undefined : error,
    reset: () => setError(undefined),
  };
}

/** What went wrong, in one or two sentences. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof ApiError)) return error.message;
  const words = wordsOf(error);
  const details = Object.entries(error.fields).map(([field, message]) => `${field} ${message}`);
  const said = [words, ...details.filter((detail) => !words.includes(detail))].join('; ');
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

/** The API says for how long a limit lasts; a person is told until when. */
function wordsOf({ message, status, retryAtMs }: ApiError): string {
  if (status !== 429 || retryAtMs === undefined) return message;
  const time = exactTime(new Date(retryAtMs).toISOString());
  return `${message.replace(/; try again in .*$/, '')}; try again after ${time}`;
}
