import { isInserted, requireOpenable, reseal, type SealedDocuments, storeCall } from '@sigcast/mongo';
import { newId, type Sealer } from '@sigcast/runtime';
import { recoveryCodeHash } from '../domain/recovery-codes.ts';
import type { SecondFactor, SecondFactors, UsedCode } from '../domain/second-factors.ts';
import { newSeed, stepOf } from '../factors/totp.ts';
import type { Models, SecondFactorDocument } from './models.ts';

/** In which a seed that was begun has to be confirmed. */
const beginMs = 3_600_000;

/** The part of a {@link Sealer} that seeds need. */
type SeedSealer = Pick<Sealer, 'seal' | 'open'>;

/**
 * Second factors in MongoDB: seeds sealed, recovery codes as SHA-256. A code is used up by one compare-and-set, so of two sign-ins at
 * once with one code one gets in.
 */
export class MongoSecondFactors implements SecondFactors {
  readonly #factors: Models['secondFactors'];
  readonly #seeds: SeedSealer;
  readonly #switch: FactorSwitch;
  readonly #clock: () => number;

  constructor({ secondFactors }: Pick<Models, 'secondFactors'>, seeds: SeedSealer, clock: () => number) {
    this.#factors = secondFactors;
    this.#switch = factorSwitch({ secondFactors });
    this.#seeds = seeds;
    this.#clock = clock;
  }

  find(account: string): Promise<SecondFactor | undefined> {
    return this.#switch.find(account);
  }

  end(account: string): Promise<boolean> {
    return this.#switch.end(account);
  }

  async begin(account: string): Promise<string | undefined> {
    const seed = newSeed();
    const begun = { seed: this.#seeds.seal(seed, account), at: new Date(this.#clock()) };
    // A factor that is on is not matched, so that the insert meets its id.
    const isBegun = await isInserted(() =>
      storeCall(() =>
        this.#factors.updateOne(
          { _id: account, seed: { $exists: false } },
          { $set: { begun } },
          { upsert: true },
        ),
      ),
    );
    return isBegun ? seed : undefined;
  }

  async confirm(
    account: string,
    code: string,
    recoveryCodes: readonly string[],
  ): Promise<SecondFactor | 'nothing' | 'wrong'> {
    const begun = (await this.#find(account))?.begun;
    const nowMs = this.#clock();
    if (begun === undefined || begun.at.getTime() + beginMs < nowMs) return 'nothing';
    const step = stepOf(this.#seeds.open(begun.seed, account), code, nowMs);
    if (step === undefined) return 'wrong';
    const on = {
      factor_id: newId('fac', nowMs),
      since: new Date(nowMs),
      seed: begun.seed,
      last_step: step,
      recovery_sha256: recoveryCodes.map(recoveryCodeHash),
    };
    const confirmed = await storeCall(() =>
      this.#factors
        .findOneAndUpdate(
          { _id: account, 'begun.seed': begun.seed },
          { $set: on, $unset: { begun: 1 } },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    return toFactor(confirmed) ?? 'nothing';
  }

  async use(account: string, code: string): Promise<UsedCode | undefined> {
    if (!/^\s*\d{3}\s*\d{3}\s*$/.test(code)) return this.#useRecoveryCode(account, code);
    const found = await this.#find(account);
    const { seed, factor_id } = found ?? {};
    if (seed === undefined || factor_id === undefined) return undefined;
    const digits = code.replaceAll(/\s/g, '');
    const step = stepOf(this.#seeds.open(seed, account), digits, this.#clock());
    if (step === undefined) return undefined;
    const { modifiedCount } = await storeCall(() =>
      this.#factors.updateOne(
        { _id: account, factor_id, last_step: { $lt: step } },
        { $set: { last_step: step } },
      ),
    );
    return modifiedCount === 1 ? {} : undefined;
  }

  async #useRecoveryCode(account: string, code: string): Promise<UsedCode | undefined> {
    const hash = recoveryCodeHash(code);
    const found = await storeCall(() =>
      this.#factors
        .findOneAndUpdate(
          { _id: account, recovery_sha256: hash },
          { $pull: { recovery_sha256: hash } },
          { returnDocument: 'after' },
        )
        .lean(),
    );
    if (found === null) return undefined;
    const { recovery_sha256: left = [] } = found;
    const giveBack = async () => {
      // Not where others were used or made since: an older code must not come back among new ones.
      const unchanged = { _id: account, recovery_sha256: left };
      const push = { $push: { recovery_sha256: hash } };
      return (await storeCall(() => this.#factors.updateOne(unchanged, push))).matchedCount === 1;
    };
    return { recovery: { left: left.length, giveBack } };
  }

  async replaceRecoveryCodes(account: string, recoveryCodes: readonly string[]): Promise<boolean> {
    const { matchedCount } = await storeCall(() =>
      this.#factors.updateOne(
        { _id: account, seed: { $exists: true } },
        { $set: { recovery_sha256: recoveryCodes.map(recoveryCodeHash) } },
      ),
    );
    return matchedCount === 1;
  }

  #find(account: string) {
    return storeCall(() => this.#factors.findById(account).lean());
  }
}

/** What is done with second factors without the keys of their seeds. */
export type FactorSwitch = Pick<SecondFactors, 'find' | 'end'>;

/** Finds and switches off second factors. */
export function factorSwitch({ secondFactors }: Pick<Models, 'secondFactors'>): FactorSwitch {
  return {
    find: async (account) => toFactor(await storeCall(() => secondFactors.findById(account).lean())),
    end: async (account) => {
      const before = await storeCall(() => secondFactors.findOneAndDelete({ _id: account }).lean());
      return toFactor(before) !== undefined;
    },
  };
}

function toFactor(document: SecondFactorDocument | null): SecondFactor | undefined {
  const { factor_id: id, since, recovery_sha256: left = [] } = document ?? {};
  return id === undefined || since === undefined ? undefined : { id, since, recoveryCodesLeft: left.length };
}

function sealedSeeds({
  secondFactors,
}: Pick<Models, 'secondFactors'>): SealedDocuments<SecondFactorDocument> {
  return {
    collection: secondFactors.collection,
    having: (sealed) => ({
      $or: [{ seed: { $exists: true, ...sealed } }, { 'begun.seed': { $exists: true, ...sealed } }],
    }),
    textsOf: ({ seed, begun }) => [seed, begun?.seed],
    replace: async ({ _id, seed, begun }, again) => {
      // The factor may be switched off, or another seed begun, meanwhile.
      if (seed !== undefined) await secondFactors.updateOne({ _id, seed }, { $set: { seed: again(seed) } });
      if (begun === undefined) return;
      await secondFactors.updateOne(
        { _id, 'begun.seed': begun.seed },
        { $set: { 'begun.seed': again(begun.seed) } },
      );
    },
  };
}

/** @throws {Error} when the store has a seed that no key opens: its owner could not sign in. */
export function requireOpenableSeeds(models: Models, seeds: Sealer): Promise<void> {
  return requireOpenable(sealedSeeds(models), seeds, 'GATEWAY_SEAL_KEYS');
}

/** Seals every seed by the newest key, while gateways go on. @returns how many documents were changed. */
export function resealSeeds(models: Models, seeds: Sealer): Promise<number> {
  return reseal(sealedSeeds(models), seeds);
}
