import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

let looking: Promise<void> | undefined;

/**
 * Resolves when the service answers. Until then the service counts as away: the page says so, and failed queries are repeated
 * as soon as there is an answer.
 */
export function serviceAnswers(): Promise<void> {
  looking ??= look().finally(() => {
    looking = undefined;
  });
  return looking;
}

/** Whether the service is away, as far as this tab knows. */
export function useAway(): boolean {
  return !useSyncExternalStore(onConnectionChange, () => onlineManager.isOnline());
}

/** Calls back when the service goes away or comes back. @returns a function that ends that. */
export function onConnectionChange(notice: (online: boolean) => void): () => void {
  return onlineManager.subscribe(notice);
}

async function look(): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!(await answers())) {
    onlineManager.setOnline(false);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
  }
  onlineManager.setOnline(true);
}

async function answers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(longestPauseMs);
    return (await fetch('/openapi.json', { method: 'HEAD', cache: 'no-store', signal })).ok;
  } catch {
    return false;
  }
}
