/** What is at stake when a person changes, and what binds a proposal to the person whom the proposer saw. */
import { z } from 'zod'
import { linkOf } from '../../access/link.ts'
import { newStart } from '../../access/secret.ts'
import { type Changed, changeUser, getPerson } from '../../access/users.ts'
import { listDeciders, type OperatorRecord, type UserRole } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { findPerson } from '../../operator/approvals/person-facts.ts'
import type { ProposalReader, Proposer, Stake } from '../../operator/approvals/stake.ts'
import type { UserRecord } from '../../storage/access/users.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import { bound, type Given, limits, optionalText, seen, shopOrAll, text } from '../input.ts'
/** The roles that may propose or grant, the lowest first. */
export const TRUSTED: readonly UserRole[] = ['shop', 'operator', 'administrator']
export const rankOf = (role: UserRole) => TRUSTED.indexOf(role)
export const isTrusted = (role: UserRole) => rankOf(role) >= 0
/** Whoever has one of these roles returns money. */
export const returnsMoney = isTrusted

/** The first halves of what opens the account, and the person as the proposer saw it. */
export const OPENED = {
  seen: seen(),
  starts: bound(z.strictObject({ link: z.string(), key: z.string() }).optional()),
}
export const PERSON = { user: text({ placeholder: 'USER' }), ...OPENED }
export const RIGHTS = {
  email: optionalText({ placeholder: 'E' }),
  merchantId: shopOrAll({ flag: 'merchant', placeholder: 'ID' }),
  refundLimits: limits({ flag: 'refundLimit' }),
  refundLimitsDay: limits({ flag: 'refundLimitDay' }),
}
export type OfPerson = Given<typeof PERSON>

export type Staked<Args> = {
  about: string
  args: Args
  isNeeded: boolean
  makes?: { link: boolean; key: boolean }
  /** Does it, to find out what is wrong with it. Nothing of it stays. */
  run(ctx: Context, args: Args): Promise<unknown>
}

export async function stakeOf<Args extends object>(
  ctx: Context,
  { about, args, isNeeded, makes, run }: Staked<Args>,
): Promise<Stake<Args>> {
  const stake = { money: null, merchantId: null, about }
  if (!isNeeded) return { ...stake, args, isFree: true }
  await rehearsed(ctx.db, (db) => run({ ...ctx, db }, args))
  if (!makes) return { ...stake, args }
  const starts = { link: newStart(), key: newStart() }
  const link = makes.link ? linkOf(ctx, starts.link) : null
  const handover = { ...(link && { link }), ...(makes.key && { key: `kop_${starts.key}` }) }
  return { ...stake, args: { ...args, starts }, handover }
}

/** Everybody who could grant what the person proposes. */
export const othersThan = async (ctx: Context, person: Proposer | null) =>
  (await listDeciders(ctx.db)).filter(({ id }) => id !== person?.id)

/** @throws AppError where nobody could ever grant it */
export function expectSomebody(others: OperatorRecord[]): void {
  if (others.length > 0) return
  throw new AppError('validation_failed', {
    reason: 'nobody_else',
    message:
      'This needs a second person, and nobody else may grant it. Add another operator or administrator first. Whoever may run commands on the machine can give somebody a new key and link.',
  })
}

export const changed = (what: string | null | false | undefined) => (what ? [what] : [])

/** Versions before this rule have stored proposals of a removal. */
export const removalProposed = {
  async stake(ctx: Context, args: OfPerson): Promise<Stake<OfPerson>> {
    const { operator, user } = await getPerson(ctx, args.user)
    const known = { user: operator.id, seen: versionOf(stateOf({ operator, user })) }
    return {
      money: null,
      merchantId: null,
      about: `${operator.name} (${operator.id})`,
      args: known,
      isFree: true,
    }
  },
  hasMoved: hasPersonMoved,
}

export type FoundPerson = { operator: OperatorRecord; user: UserRecord | null }

/** What binds a proposal to a person. Without a limit of the day it is the same as in versions that know of none. */
export function stateOf({ operator, user }: FoundPerson): object {
  if (!user) return { operator, user }
  const { refundLimitsDay, ...rest } = user
  return { operator, user: refundLimitsDay === null ? rest : user }
}

export async function hasPersonMoved(
  ctx: ProposalReader,
  { user, seen: known }: Pick<OfPerson, 'user' | 'seen'>,
): Promise<boolean> {
  const found = await findPerson(ctx, user)
  return known !== undefined && (found === null || known !== versionOf(stateOf(found)))
}

export const expecting = (known: string | undefined) => (found: FoundPerson) => {
  if (known !== undefined) expectSeen(stateOf(found), known)
}

export type Changing = OfPerson & Omit<Parameters<typeof changeUser>[2], 'expect' | 'starts'>

export const change = (ctx: Context, { user, seen: known, ...wish }: Changing): Promise<Changed> =>
  changeUser(ctx, user, { ...wish, expect: expecting(known) })

export const begin = (ctx: Context, { user, seen: known, starts }: OfPerson): Promise<Changed> =>
  changeUser(ctx, user, { ends: true, starts, expect: expecting(known) })

/** Every value as the person has it. */
export const AS_IT_IS = {
  role: undefined,
  merchantId: undefined,
  refundLimits: undefined,
  refundLimitsDay: undefined,
  email: undefined,
}
