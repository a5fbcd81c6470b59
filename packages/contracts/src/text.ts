import { z } from 'zod';

/**
 * Characters that are invisible or change the order of the text around them: controls (`Cc`), line and paragraph separators
 * (`Zl`, `Zp`), `Bidi_Control`, and those of no width (`Default_Ignorable_Code_Point`; Unicode Standard Annexes 9 and 44).
 * With them one name can look like another, or like none.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** The same characters, without line breaks and tabs. */
const hiddenInText = /[^\P{Cc}\n\r\t]|[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** Emoji, some of which are several characters joined by such of no width. */
const emoji = /\p{RGI_Emoji}/gv;

const hasNone = (pattern: RegExp) => (text: string) =>
  !pattern.test(text) || !pattern.test(text.replace(emoji, ''));

const message = 'must not have control, bidirectional or zero-width characters';

/** A text of 1 to `max` characters, none of them hidden. */
export const visibleText = (max: number) => z.string().min(1).max(max).refine(hasNone(hidden), message);

/** A name of 1 to `max` characters, none of them hidden. Blanks around it are removed. */
export const nameText = (max: number) => z.string().trim().min(1).max(max).refine(hasNone(hidden), message);

/** A text of up to `max` characters, on one or more lines. */
export const plainText = (max: number) =>
  z.string().max(max).refine(hasNone(hiddenInText), `${message}, other than line breaks and tabs`);
