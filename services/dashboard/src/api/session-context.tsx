import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Session, SessionState } from './session.ts';

const SessionContext = createContext<Session | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

/** The session of this tab. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('there is no SessionProvider above');
  return session;
}

/** What the session is like now. */
export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

/** The account that is signed in; only for what is shown to signed-in holders. */
export function useAccount() {
  const state = useSessionState();
  if (state.status !== 'signed-in') throw new Error('nobody is signed in');
  return state.account;
}
