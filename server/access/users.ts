/** The people who use the console and the command line: adding, changing and removing them, and their one-time links. */
import {
  addOperator,
  changeOperator,
  isDecider,
  listPeople,
  type OperatorRecord,
  removeOperator,
  type UserRole,
} from '../audit/people.ts'
import type { Context } from '../context.ts'
import { AppError, type Reason } from '../errors.ts'
import { notifyPeople } from '../notices/notify.ts'
import { clearCredentials, deleteSignInLink } from '../storage/access/credentials.ts'
import { endSessionsOf } from '../storage/access/sessions.ts'
import {
  deleteUser,
  findUser,
  insertUser,
  listUsers,
  type RefundLimits,
  type UserRecord,
  updateUser,
} from '../storage/access/users.ts'
import type { Queryable, Tx } from '../storage/db.ts'
import type { PersonChange } from '../storage/mails/mail.ts'
import { findMerchant } from '../storage/merchants/merchants.ts'
import { makeLink } from './link.ts'
import { SHOP_ROLES } from './roles.ts'

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/

/** `isKeyless`: the person uses the console alone. */
export type NewUser = { name: string; role: UserRole; isKeyless?: boolean | undefined } & UserValues

/** Undefined: as it is. Null: none. */
export type UserValues = {
  email?: string | undefined
  merchantId?: string | null | undefined
  refundLimits?: RefundLimits | null | undefined
  refundLimitsDay?: RefundLimits | null | undefined
}
export type UserChanges = UserValues & { role?: UserRole | undefined; isNewKey?: boolean | undefined }
/**
 * `user`: null if the person uses the command line alone. `link`: null without one, and while the console is off. `isLinkEnded`: a link that
 * went to the earlier address does not work any more.
 */
export type Changed = {
  operator: OperatorRecord
  user: UserRecord | null
  key: string | null
  link: string | null
  isLinkEnded: boolean
}

/**
 * The first halves of a new link and a new key, which the person who asked for them passes on. Only the second halves are returned then,
 * so nobody but the new owner ever has a whole one.
 */
export type Starts = { link: string; key: string }

/** Adds a person: with an e-mail address for the console, and with a key for the command line unless bound to one merchant. */
export async function addUser(
  ctx: Context,
  { name, role, isKeyless = false, starts, ...values }: NewUser & { starts?: Starts | undefined },
): Promise<Changed> {
  const { email, merchantId = null } = values
  await checkValues(ctx, role, { email, merchantId })
  let link: string | null = null
  const { operator, key } = await addOperator(ctx, {
    name,
    role,
    isKeyless: isKeyless || isBound(role, merchantId),
    keyStart: starts?.key,
    async also(tx, { id }) {
      if (email === undefined) return
      const { refundLimits = null, refundLimitsDay = null } = values
      const record = { id, email, merchantId, refundLimits, refundLimitsDay }
      if (!(await insertUser(tx, record))) throw taken(email)
      link = await makeLink(tx, ctx, id, starts?.link)
      if (isDecider({ role })) await notifyDeciders(ctx, tx, { id, name })
    },
  })
  return { operator, user: await findUser(ctx.db, operator.id), key, link, isLinkEnded: false }
}

/**
 * `ends`: whatever the person signs in with, and every session, ends, and a new link begins. `expect`: throws if the person is not as
 * the person who decided it saw them. Nobody changes the person meanwhile.
 */
type PersonChanges = UserChanges & {
  ends?: boolean | undefined
  starts?: Starts | undefined
  expect?: ((found: { operator: OperatorRecord; user: UserRecord | null }) => void) | undefined
}

/** @throws AppError not_found, validation_failed */
export async function changeUser(ctx: Context, idOrName: string, given: PersonChanges): Promise<Changed> {
  const { role, isNewKey = false, ends = false, starts } = given
  const before = (await listPeople(ctx)).find(
    (each) => !each.removedAt && (each.id === idOrName || each.name.toLowerCase() === idOrName.toLowerCase()),
  )
  const known = before && (await findUser(ctx.db, before.id))
  const merged = merge(known ?? null, given)
  if (before) await checkValues(ctx, role ?? before.role, merged)
  let link: string | null = null
  let isLinkEnded = false
  const { operator, key } = await changeOperator(ctx, idOrName, {
    role,
    isNewKey,
    keyStart: starts?.key,
    isKeyless: before !== undefined && isBound(role ?? before.role, merged.merchantId),
    async also(tx, changed, old = changed) {
      const { id } = changed
      const now = await findUser(tx, id)
      const stored = now && { ...now, role: old.role }
      given.expect?.({ operator: old, user: stored })
      if (ends) {
        await clearCredentials(tx, id)
        await endSessionsOf(tx, id)
      }
      // What somebody else has changed meanwhile stays.
      const whole = merge(now, given)
      const { email } = whole
      if (email !== undefined) {
        const isStored = now
          ? await updateUser(tx, { id, ...whole, email })
          : await insertUser(tx, { id, ...whole, email })
        if (!isStored) throw taken(email)
        if (ends || !now) link = await makeLink(tx, ctx, id, starts?.link)
        else if (email !== now.email) isLinkEnded = await deleteSignInLink(tx, id)
      }
      if (stored)
        await notifyOfChange(ctx, tx, { before: stored, after: await findUser(tx, id), ends, isNewKey })
      if (isDecider(changed) && !(isDecider(old) && stored)) await notifyDeciders(ctx, tx, changed)
    },
  })
  return { operator, user: await findUser(ctx.db, operator.id), key, link, isLinkEnded }
}

type WasChanged = { before: UserRecord; after: UserRecord | null; ends: boolean; isNewKey: boolean }

/** Tells the person, at the address as it was before. */
async function notifyOfChange(
  ctx: Context,
  tx: Tx,
  { before, after, ends, isNewKey }: WasChanged,
): Promise<void> {
  const happened: [PersonChange, boolean][] = [
    ['role', before.role !== after?.role],
    ['shop', before.merchantId !== after?.merchantId],
    ['refund_limit', limitsOf(before) !== limitsOf(after)],
    ['email', before.email !== after?.email],
    ['sign_in_ended', ends],
    ['key', isNewKey],
  ]
  for (const [change, has] of happened) if (has) await notifyPeople(ctx, tx, [before], { change })
}

const limitsOf = (user: UserRecord | null) => JSON.stringify([user?.refundLimits, user?.refundLimitsDay])

/** Tells those who may approve that there is one more of them. */
async function notifyDeciders(
  ctx: Context,
  tx: Tx,
  { id, name }: Pick<OperatorRecord, 'id' | 'name'>,
): Promise<void> {
  const others = (await listUsers(tx)).filter((each) => isDecider(each) && each.id !== id)
  await notifyPeople(ctx, tx, others, { change: 'person_added', name })
}

/** Removes a person. Key, sessions and all ways to sign in end at once. @throws AppError not_found, validation_failed */
export async function removeUser(ctx: Context, idOrName: string): Promise<OperatorRecord> {
  const { user } = await getPerson(ctx, idOrName)
  return removeOperator(ctx, idOrName, {
    async also(tx, { id }) {
      await deleteUser(tx, id)
      if (user?.id === id) await notifyPeople(ctx, tx, [user], { change: 'removed' })
    },
  })
}

/** Returns the present person of this id or name. @throws AppError not_found */
export async function getPerson(
  ctx: { db: Queryable },
  idOrName: string,
): Promise<{ operator: OperatorRecord; user: UserRecord | null }> {
  const isMeant = ({ id, name }: OperatorRecord) =>
    id === idOrName || name.toLowerCase() === idOrName.toLowerCase()
  const operator = (await listPeople(ctx)).find((each) => each.removedAt === null && isMeant(each))
  if (!operator) throw new AppError('not_found', { message: `There is no operator ${idOrName}.` })
  return { operator, user: await findUser(ctx.db, operator.id) }
}

export async function listEverybody(
  ctx: Context,
): Promise<{ operator: OperatorRecord; user: UserRecord | null }[]> {
  // Read the people first. Then a person who is added between the two queries is left out, and not shown without a role.
  const people = await listPeople(ctx)
  const users = new Map((await listUsers(ctx.db)).map((user) => [user.id, user]))
  return people.map((operator) => ({ operator, user: users.get(operator.id) ?? null }))
}

function merge(known: UserRecord | null, given: UserValues) {
  const { email, merchantId, refundLimits, refundLimitsDay } = given
  return {
    email: email ?? known?.email,
    merchantId: merchantId === undefined ? (known?.merchantId ?? null) : merchantId,
    refundLimits: refundLimits === undefined ? (known?.refundLimits ?? null) : refundLimits,
    refundLimitsDay: refundLimitsDay === undefined ? (known?.refundLimitsDay ?? null) : refundLimitsDay,
  }
}

/** A person of one merchant gets no key, because the command line shows all merchants. */
export const isBound = (role: UserRole, merchantId: string | null) =>
  SHOP_ROLES.includes(role) || merchantId !== null

async function checkValues(
  { db }: Context,
  role: UserRole,
  { email, merchantId }: { email: string | undefined; merchantId: string | null },
): Promise<void> {
  const fault = (message: string, reason: Reason = 'person_merchant') =>
    new AppError('validation_failed', { message, reason })
  if (email !== undefined && !EMAIL.test(email))
    throw fault(`"${email}" is not an e-mail address.`, 'mail_wrong')
  if (isBound(role, merchantId) && email === undefined)
    throw fault(`A ${role} of one merchant uses the console, so an e-mail address is needed.`, 'mail_wrong')
  if (SHOP_ROLES.includes(role) && merchantId === null)
    throw fault(`The role ${role} is for one merchant. Name the merchant.`)
  if (merchantId === null) return
  if (['administrator', 'operator'].includes(role))
    throw fault(`The role ${role} is for all merchants. For one merchant there are shop, cashier and viewer.`)
  if (!(await findMerchant(db, merchantId)))
    throw new AppError('not_found', {
      reason: 'person_merchant',
      message: `There is no merchant ${merchantId}.`,
    })
}

const taken = (email: string) =>
  new AppError('validation_failed', {
    reason: 'person_email_taken',
    message: `Another person has the e-mail address ${email}.`,
  })
