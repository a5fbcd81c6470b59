import { z } from 'zod';
import { timestamp } from '../members.ts';
import { nameText } from '../text.ts';
import { codeSchema, givenPassword } from './account.ts';

/** The identifier of a passkey. */
export const passkeyIdSchema = z
  .string()
  .regex(/^pky_[0-9A-Z]{26}$/, "must be a passkey's identifier")
  .meta({ example: 'pky_01J9ZPX1F3H5K7M9P1R3T5V7X9' });

/** A passkey as its account's holder sees it. */
export const passkeySchema = z
  .strictObject({
    id: passkeyIdSchema,
    name: z.string().meta({ example: 'Laptop' }),
    created_at: timestamp,
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'Passkey' });
export type PasskeyView = z.infer<typeof passkeySchema>;

/** What a passkey says; the members are those of `PublicKeyCredential.toJSON()` (Web Authentication, 5.1). */
const credentialOf = <R extends z.ZodType>(response: R) =>
  z.looseObject({
    id: z.string().min(1).max(1_400).meta({ example: 'q2V9…' }),
    rawId: z.string().min(1).max(1_400).meta({ example: 'q2V9…' }),
    type: z.literal('public-key'),
    response,
  });
const bytes = z.string().min(1).max(20_000).meta({ example: 'eyJ0…' });

/** What the browser asks a passkey with: the argument of `navigator.credentials`, as JSON (Web Authentication, 5.4 and 5.5). */
export const passkeyOptionsSchema = z
  .strictObject({
    options: z
      .record(z.string(), z.unknown())
      .describe('For `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of the browser.')
      .meta({ example: { challenge: 'ZXlKaGJH…', rpId: 'api.example.com', userVerification: 'required' } }),
  })
  .meta({ id: 'PasskeyOptions' });

/** Body of `POST /account/passkeys/options`. */
export const beginPasskeySchema = z
  .strictObject({ current_password: givenPassword, code: codeSchema.optional() })
  .meta({ id: 'BeginPasskey' });

/** Body of `POST /account/passkeys`. */
export const addPasskeySchema = z
  .strictObject({
    name: nameText(64).meta({ example: 'Laptop' }),
    credential: credentialOf(z.looseObject({ clientDataJSON: bytes, attestationObject: bytes })),
  })
  .meta({ id: 'AddPasskey' });

/** Body of `POST /account/session/passkey`. */
export const passkeySignInSchema = z
  .strictObject({
    credential: credentialOf(
      z.looseObject({
        clientDataJSON: bytes,
        authenticatorData: bytes,
        signature: bytes,
        userHandle: z.string().max(200).optional(),
      }),
    ),
  })
  .meta({ id: 'PasskeySignIn' });
