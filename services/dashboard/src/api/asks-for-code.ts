import { ApiError } from './http.ts';

/** Whether something was refused because the account has a second factor and no code was sent. */
export function asksForCode(error: unknown, code: string | undefined): boolean {
  return code === undefined && error instanceof ApiError && error.code === 'SECOND_FACTOR_REQUIRED';
}
