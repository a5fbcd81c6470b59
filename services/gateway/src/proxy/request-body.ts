import type { IncomingMessage } from 'node:http';
import { SigcastError } from '@sigcast/contracts';
import { maxBodyBytes } from '@sigcast/http';

/** Whether a request's headers announce a body. @throws {SigcastError} PAYLOAD_TOO_LARGE when it is over 100 kB. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = Number(headers['content-length'] ?? 0);
  if (length > maxBodyBytes) throw tooLarge();
  return length > 0;
}

/**
 * Reads the whole body, so that no service waits for a slow client, and a retry can send the body again.
 * @returns undefined when the client goes away.
 * @throws {SigcastError} PAYLOAD_TOO_LARGE over 100 kB, REQUEST_TIMEOUT when the body takes longer than `timeoutMs`.
 */
export function readBody(req: IncomingMessage, timeoutMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = () => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) {
        chunks.push(chunk);
        return;
      }
      stop();
      // The rest is read and dropped, so that the connection can serve the next request.
      req.resume();
      reject(tooLarge());
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onClose = () => {
      stop();
      resolve(undefined);
    };
    const timer = setTimeout(() => {
      stop();
      reject(tooSlow(timeoutMs));
    }, timeoutMs);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
    if (req.destroyed && !req.complete) onClose();
  });
}

function tooLarge(): SigcastError {
  return new SigcastError('PAYLOAD_TOO_LARGE', 'The body is over 100 kB');
}

function tooSlow(timeoutMs: number): SigcastError {
  return new SigcastError('REQUEST_TIMEOUT', `The body did not arrive within ${timeoutMs / 1_000} s`);
}

/** Whether a client waits for `100 Continue` before it sends its body; the same rule as Node's. */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}
