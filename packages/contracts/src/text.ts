import { z } from 'zod';

/**
 * Characters that are invisible or change the order of the text around them: controls (`Cc`), line and paragraph separators
 * (`Zl`, `Zp`) and `Bidi_Control` (Unicode Standard Annexes 9 and 44). With them one name can look like another.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** The same characters, without line breaks and tabs. */
const hiddenInText = /[^\P{Cc}\n\r\t]|\p{Bidi_Control}/u;

/** A name of 1 to `max` characters. Blanks around it are removed. */
export const nameText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !hidden.test(text), 'must not have control or bidirectional characters');

/** A text of up to `max` characters, on one or more lines. */
export const plainText = (max: number) =>
  z
    .string()
    .max(max)
    .refine(
      (text) => !hiddenInText.test(text),
      'must not have control or bidirectional characters, other than line breaks and tabs',
    );
