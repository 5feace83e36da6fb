/**
 * The second factor once more, for one act alone. What is signed, or typed beside it, belongs to that act with its values, counts
 * once, and ends after five minutes.
 */
import { createHash } from 'node:crypto'
import type { OneAct } from '../audit/people.ts'
import { type Context, systemClock } from '../context.ts'
import { countPasskeyUse, findPassword, listPasskeys } from '../storage/access/credentials.ts'
import { insertStep, takeStep } from '../storage/access/sessions.ts'
import type { UserRecord } from '../storage/access/users.ts'
import { inTransaction } from '../storage/db.ts'
import { note } from './acting.ts'
import { ANSWER_WITHIN_MS, askForPasskey, checkPasskey, hasPasskeys } from './passkeys.ts'
import { digestOf, newSecret } from './secret.ts'
import { type Refusal, spendCode } from './sign-in.ts'
import { takeTry } from './tries.ts'

/** `secret`: goes through the form. `options`: what the browser's passkeys are asked; null without any. `hasCode`: a code will do. */
export type SecondFactorRequest = { secret: string; options: object | null; hasCode: boolean }
export type FactorAnswer = { secret: string; answer: unknown; code: string }

const WHAT = 'console second factor'
/** Tells this step from those of signing in. */
const KIND = 'act '

export async function beginSecondFactor(
  ctx: Context,
  user: UserRecord,
  { act, origin }: { act: OneAct; origin: string },
): Promise<SecondFactorRequest> {
  const secret = newSecret()
  const challenge = challengeOf(user, act, secret)
  const [passkeys, password] = [await listPasskeys(ctx.db, user.id), await findPassword(ctx.db, user.id)]
  const now = systemClock.now()
  const times = { now, expiresAt: new Date(now.getTime() + ANSWER_WITHIN_MS) }
  await inTransaction(ctx.db, (tx) =>
    insertStep(tx, digestOf(secret), { operatorId: user.id, challenge: KIND + challenge }, times),
  )
  const usesPasskey = hasPasskeys(origin) && passkeys.length > 0
  const allowed = passkeys.map(({ id }) => id)
  return {
    secret,
    hasCode: password !== null,
    options: usesPasskey ? await askForPasskey(origin, { challenge, allowed }) : null,
  }
}

/** Returns null if it is right. Each step counts once, right or wrong. @throws AppError rate_limited */
export async function confirmSecondFactor(
  ctx: Context,
  user: UserRecord,
  given: FactorAnswer & { act: OneAct; origin: string; address: string },
): Promise<Refusal | null> {
  const { secret, act, address } = given
  // Only a code can be guessed. A person who shows a passkey often has many acts to do. The count is apart from that of signing in, so that
  // a stranger who knows the password holds up nobody who is signed in.
  if (idIn(given.answer) === undefined) await takeTry(ctx, 'sign_in_user', `act code ${user.id}`)
  const begun = await inTransaction(ctx.db, (tx) => takeStep(tx, digestOf(secret), systemClock.now()))
  const challenge = challengeOf(user, act, secret)
  const isThisAct = begun?.operatorId === user.id && begun.challenge === KIND + challenge
  const refusal = isThisAct ? await judge(ctx, user, { ...given, challenge }) : ({ kind: 'over' } as const)
  const about = `${refusal ? `refused ${refusal.kind} ` : ''}${user.id} ${act.what}`
  await note(ctx, user, { address, what: WHAT, about })
  return refusal
}

/** Undefined if a code was typed instead of showing a passkey. */
const idIn = (answer: unknown) => ((answer ?? {}) as { id?: unknown }).id

async function judge(
  ctx: Context,
  user: UserRecord,
  { answer, code, challenge, origin }: FactorAnswer & { challenge: string; origin: string },
): Promise<Refusal | null> {
  const id = idIn(answer)
  if (id === undefined) return spendCode(ctx, user, code)
  const passkey = (await listPasskeys(ctx.db, user.id)).find((each) => each.id === id)
  const counter = passkey ? await checkPasskey(passkey, answer, { challenge, origin }) : null
  if (!passkey || counter === null) return { kind: 'wrong' }
  const now = systemClock.now()
  const isThere = await inTransaction(ctx.db, (tx) => countPasskeyUse(tx, passkey.id, counter, now))
  return isThere ? null : { kind: 'wrong' }
}

/** What a passkey signs. Another act, or the same with another value, has another one. */
function challengeOf({ id }: UserRecord, { what, world, args }: OneAct, secret: string): string {
  const values = Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([secret, id, what, world, values]))
    .digest('base64url')
}
