import { useEffect, useState } from 'react';
import { exactTime, relativeTime } from './format.ts';

/** When something happened or will, relative to now; exactly when pointed at. */
export function Instant({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(Date.parse(at) - Math.max(nowMs, Date.now() - 1_000))}
    </time>
  );
}
