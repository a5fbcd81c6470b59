import { type Api, readApi } from '../api.ts';
import { type Code, clientCode } from './languages.ts';
import { readRequest } from './request.ts';

let known: Api | undefined;

/** What pages show beside a command in the languages of the clients; empty where it is not a single request of the API. */
export function clientSamples(command: string): readonly Code[] {
  known ??= readApi('');
  const request = readRequest(command, known.entries);
  return request === undefined ? [] : clientCode(request);
}
