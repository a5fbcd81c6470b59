/** Says from time to time how much of `totalBytes` has been read, and passes every chunk on. */
export async function* withProgress(
  chunks: AsyncIterable<Buffer>,
  totalBytes: number,
  report: (line: string) => void,
  nowMs: () => number,
): AsyncGenerator<Buffer> {
  const everyMs = 1_000;
  let bytes = 0;
  let reportedAtMs = nowMs();
  for await (const chunk of chunks) {
    bytes += chunk.length;
    yield chunk;
    if (nowMs() - reportedAtMs < everyMs) continue;
    reportedAtMs = nowMs();
    report(`sent ${megabytes(bytes)} of ${megabytes(totalBytes)} MB`);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
