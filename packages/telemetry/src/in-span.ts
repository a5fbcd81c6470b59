import { currentRequestId, withContext } from '@sigcast/runtime';
import type { Attributes, Span, SpanOptions } from './span.ts';
import { startSpan } from './tracing.ts';

/**
 * Runs `work` in a span that is current during `work` and ends with it. `requestId` is the current one unless given. Without
 * tracing, just calls `work`.
 */
export async function inSpan<T>(
  name: string,
  options: SpanOptions & { readonly attributes?: Attributes; readonly requestId?: string },
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const { attributes, requestId = currentRequestId() ?? '', ...rest } = options;
  const span = startSpan(name, rest);
  if (span === undefined) return work(undefined);
  if (attributes && span.recording) span.set(attributes);
  try {
    const result = await withContext({ requestId, trace: span.context }, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error instanceof Error ? error.name : typeof error);
    throw error;
  }
}
