import { useEffect, useEffectEvent } from 'react';

/**
 * Runs what single keys mean on a page, by the character that they type on the keyboard's layout. They mean nothing while
 * somebody types a text, or while a dialog or a menu is open.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const run = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (run === undefined || event.ctrlKey || event.metaKey || isTaken(event.target)) return;
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

function isTaken(target: EventTarget | null): boolean {
  const isTypedIn = target instanceof Element && target.matches(typedIn);
  return isTypedIn || document.querySelector('[role=dialog], [role=menu]') !== null;
}
