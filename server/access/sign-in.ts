/**
 * Signing in: with a passkey, or with a password and then a code. The step after the password is stored on its own and gives no
 * access, so nobody can skip the code.
 */
import { type Context, systemClock } from '../context.ts'
import { logFailure } from '../log/log.ts'
import {
  burnCodeStep,
  countPasskeyUse,
  findPasskey,
  findPassword,
  type PasswordRecord,
  spendCodeStep,
  takeRecoveryCode,
} from '../storage/access/credentials.ts'
import { findStep, insertStep, takeStep } from '../storage/access/sessions.ts'
import { findUser, findUserByEmail, type UserRecord } from '../storage/access/users.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { note } from './acting.ts'
import { type Cookies, type Device, findDevice, rememberDevice } from './devices.ts'
import { type CodeVerdict, judgeCode } from './one-time-code.ts'
import { ANSWER_WITHIN_MS, askForPasskey, checkPasskey } from './passkeys.ts'
import { isPassword } from './password.ts'
import { inPasswordTurn } from './password-turns.ts'
import { digestOfCode } from './recovery-codes.ts'
import { digestOf, newSecret } from './secret.ts'
import { openSession } from './sessions.ts'
import { type FormSender, takeStrangersTry, takeTry } from './tries.ts'
import { noteUnknown } from './unknown-sign-ins.ts'

export type Refusal =
  | { kind: 'wrong' }
  | { kind: 'over' }
  | { kind: 'used' }
  | { kind: 'clock'; offMinutes: number }
/** `session`, `step`: the secret for the browser's cookie. `device`: the cookie by which the browser is known the next time. */
export type SignedIn = { kind: 'in'; session: string; user: UserRecord; device: Device | null }
/** `cookies`: of the browser, which may have signed in before. */
type SignInSender = FormSender & { cookies: Cookies }

const WHAT = 'console sign-in'

/** Returns a step whose secret the browser keeps until the code comes. @throws AppError rate_limited */
export async function tryPassword(
  ctx: Context,
  { email, password, cookies, ...sender }: { email: string; password: string } & SignInSender,
): Promise<{ kind: 'step'; step: string } | Refusal> {
  const user = await findUserByEmail(ctx.db, email.trim())
  // This runs for unknown people too, so that the response time does not show who exists.
  const stored = await findPassword(ctx.db, user?.id ?? '')
  const known = stored && findDevice(ctx, stored, cookies)
  // Others at the same address, or in the same network, hold up no known browser.
  if (!known) await takeStrangersTry(ctx, sender)
  const subject = user?.id ?? digestOf(email.trim().toLowerCase()).toString('base64url')
  await takeTry(ctx, 'sign_in_user', countOf(subject, known))
  // An address that nobody has takes as long as a wrong password, and gets the same answer.
  const lane = known ? ({ lane: 'known', caller: subject } as const) : strangersLane(sender)
  const isRight = await inPasswordTurn({ ...lane, gone: sender.gone }, () =>
    isPassword(password, stored?.hash ?? null),
  )
  if (user && stored && isRight) return { kind: 'step', step: await beginStep(ctx, user.id, null) }
  const { address, network } = sender
  // The answer does not wait for the trace, so its time does not tell whether somebody has this address.
  const trace = user
    ? note(ctx, user, { address, what: WHAT, about: `refused ${user.id} password` })
    : noteUnknown(ctx, { email, network })
  void trace.catch((error: unknown) =>
    logFailure(ctx.log, 'error', 'a refused sign-in was not noted', { err: error }),
  )
  return { kind: 'wrong' }
}

const strangersLane = ({ network }: FormSender) => ({ lane: 'stranger', caller: network }) as const

/** Whose tries they are: those of a known browser, or those that all strangers share. */
const countOf = (subject: string, device: string | null) => (device ? `${subject} at ${device}` : subject)

/** The code of the app, or a recovery code. @throws AppError rate_limited */
export async function tryCode(
  ctx: Context,
  { step, code, cookies, ...sender }: { step: string | undefined; code: string } & SignInSender,
): Promise<SignedIn | Refusal> {
  const { address } = sender
  const now = systemClock.now()
  const begun = step === undefined ? null : await findStep(ctx.db, digestOf(step), now)
  const user = begun?.operatorId && begun.challenge === null ? await findUser(ctx.db, begun.operatorId) : null
  const stored = user && (await findPassword(ctx.db, user.id))
  const known = stored && findDevice(ctx, stored, cookies)
  if (!known) await takeStrangersTry(ctx, sender)
  if (!user || !stored || step === undefined) return { kind: 'over' }
  await takeTry(ctx, 'sign_in_user', `code ${countOf(user.id, known)}`)
  const judged = judge(ctx, stored, code, now)
  const session = await inTransaction(ctx.db, async (tx) => {
    const isRight = await spend(tx, user.id, { judged, code })
    return isRight && (await takeStep(tx, digestOf(step), now)) ? openSession(tx, user.id, address) : null
  })
  if (session === null) {
    await note(ctx, user, { address, what: WHAT, about: `refused ${user.id} code` })
    return judged.kind === 'clock' || judged.kind === 'used' ? judged : { kind: 'wrong' }
  }
  const how = judged.kind === 'right' ? 'password and code' : 'password and recovery code'
  await note(ctx, user, { address, what: WHAT, about: `${user.id} ${how}` })
  return { kind: 'in', session, user, device: await rememberDevice(ctx, user.id, cookies) }
}

/** Uses a code up, of the app or of paper. Returns null if it is right. */
export async function spendCode(ctx: Context, { id }: UserRecord, code: string): Promise<Refusal | null> {
  const stored = await findPassword(ctx.db, id)
  if (!stored) return { kind: 'wrong' }
  const judged = judge(ctx, stored, code, systemClock.now())
  if (await inTransaction(ctx.db, (tx) => spend(tx, id, { judged, code }))) return null
  return judged.kind === 'right' ? { kind: 'used' } : judged
}

async function spend(
  tx: Tx,
  userId: string,
  { judged, code }: { judged: CodeVerdict; code: string },
): Promise<boolean> {
  if (judged.kind === 'right') return spendCodeStep(tx, userId, judged.step)
  if (judged.kind === 'clock') await burnCodeStep(tx, userId, judged.step)
  const recovery = digestOfCode(code)
  return recovery !== null && takeRecoveryCode(tx, userId, recovery)
}

function judge({ vault }: Context, stored: PasswordRecord, code: string, now: Date): CodeVerdict {
  return judgeCode(vault.open(stored, placeOfCode(stored.operatorId)), code, now, stored)
}

export const placeOfCode = (operatorId: string) => ['kassa', operatorId, 'code'] as const

/** Returns what the browser's passkeys are asked, and the secret of the step. @throws AppError rate_limited */
export async function beginPasskey(ctx: Context, { address, origin }: { address: string; origin: string }) {
  await takeTry(ctx, 'sign_in_passkey', address)
  const options = await askForPasskey(origin)
  return { options, step: await beginStep(ctx, null, options.challenge) }
}

/** Each step counts once, right or wrong. @throws AppError rate_limited */
export async function tryPasskey(
  ctx: Context,
  {
    step,
    answer,
    address,
    origin,
    cookies,
  }: { step: string | undefined; answer: unknown; origin: string } & Omit<SignInSender, 'network' | 'gone'>,
): Promise<SignedIn | Refusal> {
  await takeTry(ctx, 'sign_in_passkey', address)
  const now = systemClock.now()
  const begun =
    step === undefined ? null : await inTransaction(ctx.db, (tx) => takeStep(tx, digestOf(step), now))
  if (!begun?.challenge || begun.operatorId !== null) return { kind: 'over' }
  const { id } = (answer ?? {}) as { id?: unknown }
  const passkey = typeof id === 'string' ? await findPasskey(ctx.db, id) : null
  const user = passkey && (await findUser(ctx.db, passkey.operatorId))
  if (!passkey || !user) return { kind: 'wrong' }
  const counter = await checkPasskey(passkey, answer, { challenge: begun.challenge, origin })
  if (counter === null) {
    await note(ctx, user, { address, what: WHAT, about: `refused ${user.id} passkey` })
    return { kind: 'wrong' }
  }
  const session = await inTransaction(ctx.db, async (tx) =>
    // A passkey that was removed meanwhile opens nothing. Its removal ends the sessions that came before it.
    (await countPasskeyUse(tx, passkey.id, counter, now)) ? openSession(tx, user.id, address) : null,
  )
  if (session === null) return { kind: 'wrong' }
  await note(ctx, user, { address, what: WHAT, about: `${user.id} passkey` })
  return { kind: 'in', session, user, device: await rememberDevice(ctx, user.id, cookies) }
}

export async function beginStep(
  { db }: Context,
  operatorId: string | null,
  challenge: string | null,
): Promise<string> {
  const step = newSecret()
  const now = systemClock.now()
  const expiresAt = new Date(now.getTime() + ANSWER_WITHIN_MS)
  await inTransaction(db, (tx) =>
    insertStep(tx, digestOf(step), { operatorId, challenge }, { now, expiresAt }),
  )
  return step
}
