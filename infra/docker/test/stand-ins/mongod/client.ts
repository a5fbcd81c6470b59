import { connect, type Socket } from 'node:net';
import { encodeMessage, encodeReply, parseRequest, type Request, readMessages, textOf } from '@sigcast/local';
import mongoose from 'mongoose';
import type { Role, Scram, Users } from './users.ts';

const { serialize, deserialize, Binary } = mongoose.mongo.BSON;
type Reply = Record<string, unknown>;
type Context = { readonly state: Users; readonly replSet: string; readonly upstreamPort: number };

const host = 'mongo:27017';
/** The commands that need no authentication: a driver sends them to sign in. */
const openCommands = new Set([
  'hello',
  'ismaster',
  'ping',
  'saslstart',
  'saslcontinue',
  'buildinfo',
  'endsessions',
]);
const failure = (code: number, codeName: string, errmsg: string): Reply => ({
  ok: 0,
  code,
  codeName,
  errmsg,
});

/**
 * Serves one client. Commands of authentication and of the replica set are answered here; all others are passed on to the
 * wire gateway, byte for byte.
 */
export async function serveClient(socket: Socket, context: Context): Promise<void> {
  const upstream = connect({ port: context.upstreamPort, host: '127.0.0.1', noDelay: true });
  const answers = readMessages(upstream);
  const session = new Session(context, socket.remoteAddress === '127.0.0.1');
  for (const each of [socket, upstream]) each.on('error', () => undefined);
  socket.once('close', () => upstream.destroy());
  socket.setNoDelay(true);
  let replies = 0;
  try {
    for await (const message of readMessages(socket)) {
      const request = parseRequest(message);
      const own = session.answer(request);
      const wanted = request.kind === 'query' || request.answer;
      if (own === undefined) {
        upstream.write(message);
        if (!wanted) continue;
        const answer = await answers.next();
        if (answer.done) break;
        socket.write(answer.value);
      } else if (wanted) {
        const encode = request.kind === 'query' ? encodeReply : encodeMessage;
        socket.write(encode(serialize(own), ++replies, request.requestId));
      }
    }
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
  } finally {
    socket.destroy();
    upstream.destroy();
  }
}

class Session {
  readonly #context: Context;
  readonly #local: boolean;
  #exchange: Scram | undefined;
  #user: string | undefined;

  constructor(context: Context, local: boolean) {
    this.#context = context;
    this.#local = local;
  }

  /** The answer to a command; undefined when the wire gateway has to answer. */
  answer({ body, ...request }: Request): Reply | undefined {
    const { state } = this.#context;
    const name = body.toString('utf8', 5, body.indexOf(0, 5));
    const command = name.toLowerCase();
    const database = request.kind === 'query' ? request.database : (textOf(body, '$db') ?? '');
    if (!openCommands.has(command)) {
      // MongoDB's localhost exception: as long as there is no user, a client on the same machine may make one.
      const permitted =
        this.#user === undefined ? state.none && this.#local : state.allows(this.#user, database);
      if (!permitted && this.#user === undefined) {
        return failure(13, 'Unauthorized', `Command ${name} requires authentication`);
      }
      if (!permitted) return failure(13, 'Unauthorized', `not authorized on ${database} to execute ${name}`);
    }
    switch (command) {
      case 'hello':
      case 'ismaster':
        return this.#hello();
      case 'saslstart':
        return this.#sasl(deserialize(body), true);
      case 'saslcontinue':
        return this.#sasl(deserialize(body), false);
      case 'replsetinitiate':
        if (state.initiated) return failure(23, 'AlreadyInitialized', 'already initialized');
        state.initiate();
        return { ok: 1 };
      case 'createuser':
      case 'updateuser':
        return this.#setUser(command === 'createuser', String(deserialize(body)[name]), deserialize(body));
      default:
        return undefined;
    }
  }

  #hello(): Reply {
    const { state, replSet } = this.#context;
    const primary = state.initiated;
    const members = { setName: replSet, setVersion: 1, hosts: [host], primary: host, me: host };
    return {
      helloOk: true,
      isWritablePrimary: primary,
      ismaster: primary,
      secondary: false,
      ...(primary ? members : { isreplicaset: true }),
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 25_000,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      minWireVersion: 0,
      maxWireVersion: 21,
      saslSupportedMechs: ['SCRAM-SHA-256'],
      readOnly: false,
      ok: 1,
    };
  }

  #sasl(command: Reply, first: boolean): Reply {
    const refused = failure(18, 'AuthenticationFailed', 'Authentication failed.');
    const message = (command.payload as InstanceType<typeof Binary>).toString('utf8');
    if (first) this.#exchange = this.#context.state.exchange();
    const exchange = this.#exchange;
    if (exchange === undefined) return refused;
    const said = first ? exchange.first(message) : exchange.user === undefined ? exchange.final(message) : '';
    if (said === undefined) return refused;
    this.#user = exchange.user;
    const done = exchange.user !== undefined;
    return { conversationId: 1, done, payload: new Binary(Buffer.from(said)), ok: 1 };
  }

  #setUser(create: boolean, name: string, { pwd, roles }: Reply): Reply {
    const { state } = this.#context;
    if (create === state.has(name)) {
      return create
        ? failure(51_003, 'Location51003', `User "${name}@admin" already exists`)
        : failure(11, 'UserNotFound', `Could not find user "${name}"`);
    }
    state.set(name, String(pwd), roles as Role[]);
    return { ok: 1 };
  }
}
