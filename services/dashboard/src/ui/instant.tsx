import { useEffect, useState } from 'react';
import { age, exactTime, relativeTime, shortAge, shortDay } from './format.ts';

/** Beyond a month a date says more. */
const longestRelativeMs = 30 * 86_400_000;

/**
 * When something happened or will happen, relative to now; how long ago, in short; or how long something lasts by now, such as
 * 2 min. The exact time is shown when it is pointed at.
 */
export function Instant(props: { at: string; isAge?: boolean; lasts?: boolean }) {
  const { at, isAge = false, lasts = false } = props;
  const [nowMs, setNowMs] = useState(Date.now);
  const differenceMs = Date.parse(at) - Math.max(nowMs, Date.now() - 1_000);
  const showsSeconds = Math.abs(differenceMs) < 60_000;
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), showsSeconds ? 1_000 : 30_000);
    return () => clearInterval(timer);
  }, [showsSeconds]);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {lasts ? age(-differenceMs) : isAge ? shortAge(-differenceMs) : wordsOf(differenceMs, at)}
    </time>
  );
}

function wordsOf(differenceMs: number, at: string): string {
  return Math.abs(differenceMs) < longestRelativeMs ? relativeTime(differenceMs) : shortDay(at);
}
