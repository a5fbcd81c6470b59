import { SigcastError } from '@sigcast/contracts';
import type { PublicLogFile, ReadPublicLog } from '../routes/get-log.ts';
import { firstAnswer } from './ask-service.ts';
import type { Upstream } from './upstream.ts';

const timeoutMs = 10_000;
/** The headers that an answer has beside its bytes, where the tracker gives them. */
const passedOn = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-type',
  'vary',
] as const;

/** Reads files of the public log, which the tracker keeps. */
export function publicLog(tracker: Upstream | undefined): ReadPublicLog {
  return async (path, { acceptEncoding }) => {
    if (tracker === undefined) throw new SigcastError('NOT_FOUND', 'There is no log on this system');
    const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
    const { status, body } = await firstAnswer(
      tracker,
      { path, headers, timeoutMs },
      [200, 404],
      async (answer): Promise<PublicLogFile> => ({
        headers: Object.fromEntries(
          passedOn.flatMap((name) => {
            const value = answer.headers[name];
            return value === undefined ? [] : [[name, String(value)]];
          }),
        ),
        bytes: Buffer.from(await answer.body.arrayBuffer()),
      }),
    );
    if (status === 404) throw new SigcastError('NOT_FOUND', `The log has nothing at ${path}`);
    return body;
  };
}
