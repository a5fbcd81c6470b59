import { useState } from 'react';
import { ApiError } from './http.ts';

/** A code of the second factor that a form shows a field for only once the service asks for it. */
export type AskedCode = {
  /** Undefined while nobody has asked for it. */
  readonly code: string | undefined;
  readonly setCode: (code: string | undefined) => void;
  /**
   * Does what may need a code, with the code that was typed.
   * @returns false where the service asks for a code, which the form then shows a field for.
   */
  readonly withCode: (work: (given: { readonly code?: string }) => Promise<void>) => Promise<boolean>;
};

/** Asks for a code only where the service does. */
export function useAskedCode(): AskedCode {
  const [code, setCode] = useState<string>();
  const withCode: AskedCode['withCode'] = async (work) => {
    try {
      await work(code === undefined ? {} : { code });
      return true;
    } catch (error) {
      const asks = code === undefined && error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED';
      if (!asks) throw error;
      setCode('');
      return false;
    }
  };
  return { code, setCode, withCode };
}
