import { type FormEvent, type ReactNode, useState } from 'react';

/** What a required field says that was empty when its form was submitted, until something is in it: props of its input. */
export function useMissing(value: string, error: ReactNode, words: string) {
  const [isAsked, setAsked] = useState(false);
  return {
    required: true,
    error: isAsked && value === '' ? words : error,
    onInvalid: (event: FormEvent) => {
      event.preventDefault();
      setAsked(true);
    },
  };
}
