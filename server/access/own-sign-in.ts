/**
 * A person changes how they sign in: adds or removes a passkey, or makes new recovery codes. The pages ask for the second factor
 * before each of them.
 * Rule: a way to sign in is always left. Every change is made under the person's lock, so two at once cannot take the last two.
 */
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { notifyPeople } from '../notices/notify.ts'
import { findPassword, insertPasskey, insertRecoveryCodes } from '../storage/access/credentials.ts'
import {
  countRecoveryCodes,
  deletePasskey,
  listOwnPasskeys,
  lockUser,
  type OwnPasskey,
} from '../storage/access/own-sign-in.ts'
import { endOtherSessionsOf, findStep, takeStep } from '../storage/access/sessions.ts'
import type { UserRecord } from '../storage/access/users.ts'
import { inTransaction } from '../storage/db.ts'
import { type Actor, actAs } from './acting.ts'
import { hasPasskeys, hostOf, offerPasskey, readNewPasskey } from './passkeys.ts'
import { digestOfCode, newRecoveryCodes } from './recovery-codes.ts'
import { digestOf, newSecret } from './secret.ts'
import { beginStep, type Refusal } from './sign-in.ts'

export const PASSKEYS_MAX = 10
/** Tells this step from those of signing in and of acts. */
const KIND = 'new '

/** `isHere`: whether it works at the present address of the console. */
export type ShownPasskey = OwnPasskey & { isHere: boolean }
/** `codesLeft`: null without a password, because recovery codes stand in for the codes beside one. */
export type OwnSignIn = { passkeys: ShownPasskey[]; codesLeft: number | null }
/** `session`: the secret of the own one. `origin`: of the console. */
type OwnSession = {
  user: Actor & Pick<UserRecord, 'email'>
  session: string
  origin: string
  address: string
}

export async function readOwnSignIn(ctx: Context, userId: string, origin: string): Promise<OwnSignIn> {
  const [passkeys, password, codes] = await Promise.all([
    listOwnPasskeys(ctx.db, userId),
    findPassword(ctx.db, userId),
    countRecoveryCodes(ctx.db, userId),
  ])
  const isHere = worksAt(origin)
  return {
    passkeys: passkeys.map((each) => ({ ...each, isHere: isHere(each) })),
    codesLeft: password && codes,
  }
}

const worksAt = (origin: string) => (passkey: OwnPasskey) =>
  hasPasskeys(origin) && passkey.host === hostOf(origin)

/** Returns the secret of a step, for a person who has just given the second factor. The browser keeps it until the new passkey is made. */
export function allowNewPasskey(ctx: Context, userId: string): Promise<string> {
  return beginStep(ctx, userId, KIND + newSecret())
}

/** Returns what the browser makes the passkey from. The same step gives the same again. @throws AppError not_found if it has ended */
export async function offerNewPasskey(
  ctx: Context,
  user: UserRecord,
  { step, origin }: { step: string | undefined; origin: string },
) {
  const begun = step === undefined ? null : await findStep(ctx.db, digestOf(step), systemClock.now())
  const challenge = challengeIn(begun, user.id)
  if (challenge === null) throw new AppError('not_found')
  const allowed = (await listOwnPasskeys(ctx.db, user.id)).map(({ id }) => id)
  return offerPasskey(user, origin, { challenge, allowed })
}

const challengeIn = (begun: Awaited<ReturnType<typeof findStep>>, userId: string): string | null =>
  begun?.operatorId === userId && begun.challenge?.startsWith(KIND)
    ? begun.challenge.slice(KIND.length)
    : null

/** Returns null once it is stored. Each step counts once, right or wrong. @throws AppError passkeys_many as a reason */
export async function addPasskey(
  ctx: Context,
  { user, origin, address }: OwnSession,
  { step, answer }: { step: string | undefined; answer: unknown },
): Promise<Refusal | null> {
  const now = systemClock.now()
  const begun =
    step === undefined ? null : await inTransaction(ctx.db, (tx) => takeStep(tx, digestOf(step), now))
  const challenge = challengeIn(begun, user.id)
  if (challenge === null) return { kind: 'over' }
  const passkey = await readNewPasskey(user.id, answer, { challenge, origin })
  if (!passkey) return { kind: 'wrong' }
  const acting = actAs(ctx, user, { address, what: 'console passkey add', about: user.id })
  const isNew = await inTransaction(acting.ctx.db, async (tx) => {
    await lockUser(tx, user.id)
    if ((await listOwnPasskeys(tx, user.id)).length >= PASSKEYS_MAX)
      throw new AppError('validation_failed', {
        reason: 'passkeys_many',
        message: `A person has at most ${PASSKEYS_MAX} passkeys. Remove one first.`,
      })
    const isStored = await insertPasskey(tx, passkey, now)
    if (isStored) await notifyPeople(ctx, tx, [user], { change: 'passkey_added' })
    return isStored
  })
  return isNew ? null : { kind: 'wrong' }
}

/**
 * Removes it, and ends every other session of the person: somebody who has the device may be signed in with it.
 * @throws AppError not_found for a passkey of somebody else, as for an unknown one; last_way_in as a reason
 */
export async function removePasskey(
  ctx: Context,
  { user, session, origin, address }: OwnSession,
  id: string,
): Promise<void> {
  const acting = actAs(ctx, user, { address, what: 'console passkey remove', about: user.id })
  await inTransaction(acting.ctx.db, async (tx) => {
    await lockUser(tx, user.id)
    const passkeys = await listOwnPasskeys(tx, user.id)
    if (!passkeys.some((each) => each.id === id)) throw new AppError('not_found')
    const isLeft = passkeys.filter((each) => each.id !== id).some(worksAt(origin))
    if (!isLeft && !(await findPassword(tx, user.id)))
      throw new AppError('validation_failed', {
        reason: 'last_way_in',
        message: 'Nothing else would be left to sign in with. Add another passkey first.',
      })
    // First the passkey: a sign-in with it that is under way has opened its session by then, or opens none.
    await deletePasskey(tx, user.id, id)
    await endOtherSessionsOf(tx, user.id, digestOf(session))
    await notifyPeople(ctx, tx, [user], { change: 'passkey_removed' })
  })
}

/** Returns new recovery codes in place of all earlier ones. Nobody can read them again later. @throws AppError not_found without a password */
export async function renewRecoveryCodes(
  ctx: Context,
  { user, address }: Pick<OwnSession, 'user' | 'address'>,
): Promise<string[]> {
  const codes = newRecoveryCodes()
  const digests = codes.map((each) => digestOfCode(each) as Buffer)
  const acting = actAs(ctx, user, { address, what: 'console recovery codes', about: user.id })
  await inTransaction(acting.ctx.db, async (tx) => {
    await lockUser(tx, user.id)
    if (!(await findPassword(tx, user.id))) throw new AppError('not_found')
    await insertRecoveryCodes(tx, user.id, digests)
    await notifyPeople(ctx, tx, [user], { change: 'recovery_codes' })
  })
  return codes
}
