import type { Command, Redis } from 'ioredis';

/**
 * Rejects a command without an answer after `timeoutMs`. Unlike ioredis' own `commandTimeout`, it first lets Node read the
 * socket once more: after a pause of this process (garbage collection, a busy machine) overdue timers run before answers
 * are read.
 */
export function rejectAfter(timeoutMs: number, command: Command): void {
  const timer = setTimeout(rejectAfterReading, timeoutMs, command);
  const clear = () => clearTimeout(timer);
  command.promise.then(clear, clear);
}

/** Node reads sockets between timers and `setImmediate`. */
function rejectAfterReading(command: Command): void {
  setImmediate(() => command.reject(new Error('Command timed out')));
}

/** Sends the commands of one turn of the event loop in one write. */
export function batchWrites(connection: Redis): void {
  let batching = false;
  const send = connection.sendCommand.bind(connection);
  connection.sendCommand = (...args) => {
    if (!batching && connection.status === 'ready') {
      const socket = connection.stream;
      batching = true;
      socket.cork();
      setImmediate(() => {
        batching = false;
        socket.uncork();
      });
    }
    return send(...args);
  };
}
