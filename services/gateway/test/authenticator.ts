import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

type Options = { readonly challenge: string; readonly rpId?: string; readonly rp?: { readonly id: string } };
type Choices = {
  readonly origin?: string;
  /** Default: one more than at the last use. */
  readonly counter?: number;
  /** Whether it has verified its user. */
  readonly verified?: boolean;
  readonly rpId?: string;
};

const userPresent = 0x01;
const userVerified = 0x04;
const hasCredential = 0x40;

/** An authenticator with one passkey (Web Authentication, 6.1 and 6.5), and the browser in front of it. */
export class Authenticator {
  readonly id = randomBytes(32);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  /** The account that it finds by itself. */
  userHandle = '';
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Answers the options of making a passkey. */
  create(options: Options & { readonly user?: { readonly id: string } }, choices: Choices = {}) {
    this.userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2], // EC2
      [3, -7], // ES256
      [-1, 1], // P-256
      [-2, Uint8Array.from(Buffer.from(x, 'base64url'))],
      [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, isoCBOR.encode(key)]);
    const authData = Buffer.concat([this.#data(options, hasCredential, choices), credential]);
    const attestation = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', Uint8Array.from(authData)],
      ]) as Parameters<typeof isoCBOR.encode>[0],
    );
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', options, choices).toString('base64url'),
      attestationObject: Buffer.from(attestation).toString('base64url'),
    });
  }

  /** Answers the options of signing in. */
  get(options: Options, choices: Choices = {}) {
    this.counter = choices.counter ?? this.counter + 1;
    const data = this.#data(options, 0, choices);
    const client = this.#clientData('webauthn.get', options, choices);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: this.userHandle,
    });
  }

  #answer<R>(response: R) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #data({ rpId, rp }: Options, flags: number, { verified = true, rpId: chosen }: Choices): Buffer {
    const party = createHash('sha256')
      .update(chosen ?? rpId ?? rp?.id ?? '')
      .digest();
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags | userPresent | (verified ? userVerified : 0));
    rest.writeUInt32BE(this.counter, 1);
    return Buffer.concat([party, rest]);
  }

  #clientData(type: string, { challenge }: Options, { origin = this.#origin }: Choices): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}
