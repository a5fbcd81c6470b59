import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/**
 * A lock between processes of one machine: a listening socket in Linux's abstract namespace. Only one process can hold a
 * name. The kernel releases the name when the process ends, however it ends, so a lock is never stale.
 */
export class MachineLock implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Takes the lock. @returns undefined when another process holds it. */
  static tryAcquire(subject: string): Promise<MachineLock | undefined> {
    const name = `\0sigcast-${createHash('sha256').update(subject).digest('hex').slice(0, 32)}`;
    return new Promise((resolve, reject) => {
      const server = createServer();
      server.unref();
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(undefined);
        else reject(error);
      });
      server.listen(name, () => resolve(new MachineLock(server)));
    });
  }

  /** Takes the lock as soon as no other process holds it. Calls `onWait` once if another process does. */
  static async acquire(subject: string, onWait: () => void, signal?: AbortSignal): Promise<MachineLock> {
    for (let waited = false; ; waited = true) {
      signal?.throwIfAborted();
      const lock = await MachineLock.tryAcquire(subject);
      if (lock) return lock;
      if (!waited) onWait();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
