import { IconHourglass } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useAway } from '../api/connection.ts';
import { useLimitedUntil } from '../api/limit.ts';
import styles from './notice.module.css';

/**
 * Says, once for the whole page, that the limit per minute is used up, and counts down to when the page asks again. Screen
 * readers say it once, without the countdown.
 */
export function Limited() {
  const untilMs = useLimitedUntil();
  const away = useAway();
  const leftMs = useTimeLeft(untilMs);
  if (leftMs <= 0 || away) return null;
  return (
    <div className={styles.notice} role="alert">
      <IconHourglass size={20} aria-hidden />
      <span>
        Too many requests. <span role="timer">Trying again in {Math.ceil(leftMs / 1_000)} s.</span>
      </span>
    </div>
  );
}

/** Milliseconds until an instant, counted down to 0. */
function useTimeLeft(untilMs: number): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const count = () => {
      setNowMs(Date.now());
      if (Date.now() >= untilMs) clearInterval(timer);
    };
    const timer = setInterval(count, 250);
    count();
    return () => clearInterval(timer);
  }, [untilMs]);
  return untilMs - nowMs;
}
