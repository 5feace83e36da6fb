/** The one-time link: with it a person sets up how to sign in, and is signed in by that. Opening the link alone uses nothing up. */
import { createHmac } from 'node:crypto'
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { notifyPeople } from '../notices/notify.ts'
import {
  clearCredentials,
  findSignInLink,
  insertPasskey,
  insertRecoveryCodes,
  putPassword,
  takeSignInLink,
} from '../storage/access/credentials.ts'
import { takeStep } from '../storage/access/sessions.ts'
import type { UserRecord } from '../storage/access/users.ts'
import { inTransaction } from '../storage/db.ts'
import { actAs } from './acting.ts'
import { type Cookies, rememberDevice } from './devices.ts'
import { judgeCode, secretFrom } from './one-time-code.ts'
import { offerPasskey, readNewPasskey } from './passkeys.ts'
import { faultOf, hashPassword, type PasswordFault } from './password.ts'
import { inPasswordTurn } from './password-turns.ts'
import { digestOfCode, newRecoveryCodes } from './recovery-codes.ts'
import { digestOf } from './secret.ts'
import { openSession } from './sessions.ts'
import { beginStep, placeOfCode, type Refusal, type SignedIn } from './sign-in.ts'
import { type FormSender, takeTry } from './tries.ts'

const WHAT = 'console set-up'
const FRESH = { usedStep: 0, burntSteps: [] }

/** Returns whom the link is for, and the secret of the codes that this link offers; null if it has ended. @throws AppError rate_limited */
export async function findLink(
  ctx: Context,
  { token, address }: { token: string; address: string },
): Promise<{ user: UserRecord; codeSecret: string } | null> {
  const user = await findSignInLink(ctx.db, digestOf(token), systemClock.now())
  if (!user) {
    // Only what may be a guess counts, so nobody at the same address uses up the looks of somebody with a link.
    await takeTry(ctx, 'sign_in', address)
    return null
  }
  // The same at each look, so that a form with a mistake can be shown again without storing anything.
  const bytes = createHmac('sha256', ctx.vault.derive('console-codes')).update(token).digest()
  return { user, codeSecret: secretFrom(bytes) }
}

type Posted = { token: string; password: string; code: string; cookies: Cookies } & Omit<
  FormSender,
  'network'
>
type SetUp = SignedIn & { recoveryCodes: string[] }

/** @throws AppError not_found if the link has ended, rate_limited */
export async function setUpPassword(
  ctx: Context,
  { token, password, code, address, cookies, gone }: Posted,
): Promise<SetUp | Refusal | { kind: 'password'; fault: PasswordFault }> {
  const found = await findLink(ctx, { token, address })
  if (!found) throw new AppError('not_found')
  const { user, codeSecret } = found
  const fault = faultOf(password, user)
  if (fault) return { kind: 'password', fault }
  const judged = judgeCode(codeSecret, code, systemClock.now(), FRESH)
  if (judged.kind !== 'right') return judged
  await takeTry(ctx, 'sign_in_user', `set-up ${user.id}`)
  const hash = await inPasswordTurn({ lane: 'known', caller: user.id, gone }, () => hashPassword(password))
  const recoveryCodes = newRecoveryCodes()
  const sealed = ctx.vault.seal(codeSecret, placeOfCode(user.id))
  const session = await use(ctx, { user, token, address }, async (own) => {
    const record = { operatorId: user.id, hash, ...sealed, usedStep: judged.step }
    await putPassword(own, record, systemClock.now())
    await insertRecoveryCodes(
      own,
      user.id,
      recoveryCodes.map((each) => digestOfCode(each) as Buffer),
    )
  })
  const device = await rememberDevice(ctx, user.id, cookies)
  return { kind: 'in', session, user, device, recoveryCodes }
}

/** @throws AppError not_found if the link has ended, rate_limited */
export async function beginSetUpPasskey(
  ctx: Context,
  { token, address, origin }: { token: string; address: string; origin: string },
) {
  const found = await findLink(ctx, { token, address })
  if (!found) throw new AppError('not_found')
  const options = await offerPasskey(found.user, origin)
  return { options, step: await beginStep(ctx, found.user.id, options.challenge) }
}

/** @throws AppError not_found if the link has ended, rate_limited */
export async function setUpPasskey(
  ctx: Context,
  given: { token: string; step: string | undefined; answer: unknown; address: string; origin: string },
): Promise<SignedIn | Refusal> {
  const { token, step, answer, address, origin } = given
  const found = await findLink(ctx, { token, address })
  if (!found) throw new AppError('not_found')
  const { user } = found
  const now = systemClock.now()
  const begun =
    step === undefined ? null : await inTransaction(ctx.db, (tx) => takeStep(tx, digestOf(step), now))
  if (!begun?.challenge || begun.operatorId !== user.id) return { kind: 'over' }
  const passkey = await readNewPasskey(user.id, answer, { challenge: begun.challenge, origin })
  if (!passkey) return { kind: 'wrong' }
  const session = await use(ctx, { user, token, address }, async (own) => {
    if (!(await insertPasskey(own, passkey, now))) throw new AppError('not_found')
  })
  return { kind: 'in', session, user, device: null }
}

type Tx = Parameters<Parameters<typeof inTransaction>[1]>[0]

/** Uses the link up, in the transaction that stores what it is for. Whatever the person had before ends. */
async function use(
  ctx: Context,
  { user, token, address }: { user: UserRecord; token: string; address: string },
  store: (tx: Tx) => Promise<void>,
): Promise<string> {
  const acting = actAs(ctx, user, { address, what: WHAT, about: user.id })
  return inTransaction(acting.ctx.db, async (tx) => {
    if (!(await takeSignInLink(tx, digestOf(token), systemClock.now()))) throw new AppError('not_found')
    await clearCredentials(tx, user.id)
    await store(tx)
    await notifyPeople(ctx, tx, [user], { change: 'sign_in_set_up' })
    return openSession(tx, user.id, address)
  })
}
