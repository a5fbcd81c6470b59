import { z } from 'zod';

/**
 * Characters that are not seen, or that change the order of what stands around them: controls (`Cc`), line and paragraph
 * separators (`Zl`, `Zp`) and `Bidi_Control` (Unicode Standard Annexes 9 and 44). With them one name looks like another.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Those of them that are more than the layout of a text of several lines. */
const hiddenInText = /[^\P{Cc}\n\r\t]|\p{Bidi_Control}/u;

/** A name of something, of 1 to `max` characters; blanks around it do not count. */
export const nameText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !hidden.test(text), 'must not have control or bidirectional characters');

/** A text of up to `max` characters, on one line or several. */
export const plainText = (max: number) =>
  z
    .string()
    .max(max)
    .refine(
      (text) => !hiddenInText.test(text),
      'must not have control or bidirectional characters, other than line breaks and tabs',
    );
