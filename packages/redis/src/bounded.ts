import type { Command, Redis } from 'ioredis';

/**
 * Gives a call up when its answer has not come in time. Unlike ioredis' own `commandTimeout` it looks once more for
 * an answer before it does: after a pause of this process (garbage collection, a busy machine) overdue timers run
 * first, while the answers lie unread in the socket.
 */
export function giveUpAfter(timeoutMs: number, command: Command): void {
  const timer = setTimeout(giveUpAfterReading, timeoutMs, command);
  const clear = () => clearTimeout(timer);
  command.promise.then(clear, clear);
}

/** Sockets are read between timers and `setImmediate`. */
function giveUpAfterReading(command: Command): void {
  setImmediate(() => command.reject(new Error('Command timed out')));
}

/** From now on, commands of requests that arrived together leave in one write, once all of them have been read. */
export function gatherWrites(connection: Redis): void {
  let gathering = false;
  const send = connection.sendCommand.bind(connection);
  connection.sendCommand = (...args) => {
    if (!gathering && connection.status === 'ready') {
      const socket = connection.stream;
      gathering = true;
      socket.cork();
      setImmediate(() => {
        gathering = false;
        socket.uncork();
      });
    }
    return send(...args);
  };
}
