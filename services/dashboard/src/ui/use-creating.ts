import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';

/** What a link says that leads to a page with its form for a new thing opened. */
export const creating = { creating: true };

/** Whether the page's form for a new thing is opened, by its button or by such a link, which opens it once. */
export function useCreating(): [boolean, (to: boolean) => void] {
  const asked = useHistoryState<Partial<typeof creating> | null>()?.creating === true;
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!asked) return;
    setOpen(true);
    navigate(location.pathname + location.search, { replace: true, state: null });
  }, [asked, navigate]);
  return [isOpen, setOpen];
}
