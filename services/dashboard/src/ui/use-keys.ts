import { useEffect, useEffectEvent } from 'react';

/**
 * Runs what single keys mean on a page, by the character that they type on the keyboard's layout. They mean nothing while
 * somebody types a text, or while a menu or a dialog is open, unless they are those of the only dialog.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>, { ofDialog = false } = {}): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const run = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (run === undefined || event.ctrlKey || event.metaKey || isTypedIn(event.target)) return;
    const above = document.querySelectorAll('[role=dialog], [role=menu]').length;
    if (above !== (ofDialog ? 1 : 0)) return;
    event.preventDefault();
    run();
  });
  useEffect(() => {
    // Before a dialog closes by the same key.
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
}

/** Fields in which a key is a character, unlike radio buttons and checkboxes. */
const typedIn = 'input:not([type=radio], [type=checkbox]), textarea, select';

function isTypedIn(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(typedIn);
}
