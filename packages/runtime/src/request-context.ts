import { AsyncLocalStorage } from 'node:async_hooks';

/** A place in a trace (W3C Trace Context): lowercase hexadecimal ids, and flags of which the lowest says that it is sampled. */
export type TraceContext = {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
};

/** What is being worked on: a request or a message, and where in which trace, if in any. */
export type WorkContext = { readonly requestId: string; readonly trace?: TraceContext | undefined };

const storage = new AsyncLocalStorage<WorkContext>();

/** Runs `work` as part of a request (or message), so that everything it logs carries its ids. */
export function withContext<T>(context: WorkContext, work: () => T): T {
  return storage.run(context, work);
}

/** The same, in the trace that is current. */
export function withRequestId<T>(id: string, work: () => T): T {
  return storage.run({ requestId: id, trace: currentTrace() }, work);
}

/** The id of the request being served, if any. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

/** Where in which trace the present work is, if in any. */
export function currentTrace(): TraceContext | undefined {
  return storage.getStore()?.trace;
}
