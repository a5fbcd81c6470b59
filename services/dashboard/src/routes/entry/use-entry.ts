import type { EntryView } from '@sigcast/contracts';
import { useEffect, useState } from 'react';
import { send } from '../../api/http.ts';

/** Where the question gets no answer, neither will what the page is for, and that says so. */
const unknown: EntryView = { confirms_sign_ups: false, sends_mail: false, plan: null };

/** How to get in at this server; undefined until it has answered. */
export function useEntry(): EntryView | undefined {
  const [entry, setEntry] = useState<EntryView>();
  useEffect(() => {
    send<EntryView>('GET', '/account/entry').then(
      ({ data }) => setEntry(data),
      () => setEntry(unknown),
    );
  }, []);
  return entry;
}
