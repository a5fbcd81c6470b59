import { AsyncLocalStorage } from 'node:async_hooks';

/** A position in a trace (W3C Trace Context): lowercase hexadecimal ids, and flags whose lowest bit says that the trace is sampled. */
export type TraceContext = {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
};

/** The request or message that is being processed, and its position in a trace if it is traced. */
export type WorkContext = { readonly requestId: string; readonly trace?: TraceContext | undefined };

const storage = new AsyncLocalStorage<WorkContext>();

/** Runs `work` for a request or message, so that its log lines have the request's ids. */
export function withContext<T>(context: WorkContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs `work` for a request, in the current trace. */
export function withRequestId<T>(id: string, work: () => T): T {
  return storage.run({ requestId: id, trace: currentTrace() }, work);
}

/** The id of the request being served, if any. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

/** The position of the current work in a trace, if it is traced. */
export function currentTrace(): TraceContext | undefined {
  return storage.getStore()?.trace;
}
