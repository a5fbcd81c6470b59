const dayMs = 86_400_000;
/** Unix time began on a Thursday; the Monday after it. */
const firstMondayMs = 4 * dayMs;

/** The start of the bucket of time (UTC) that an instant is in. Buckets longer than a day are weeks and begin on Monday. */
export function bucketStart(ms: number, widthMs: number): number {
  const offset = widthMs > dayMs ? firstMondayMs : 0;
  return Math.floor((ms - offset) / widthMs) * widthMs + offset;
}
