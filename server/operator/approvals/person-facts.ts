/** What is shown of a person whose rights change, with what each value replaces. */
import { getPerson, type UserValues } from '../../access/users.ts'
import type { UserRole } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import type { RefundLimits } from '../../storage/access/users.ts'
import type { Queryable } from '../../storage/db.ts'
import { type Fact, type FactName, type Shown, shopShown, textFact } from './facts.ts'

/** Undefined: the value stays as it is, and is shown as that. */
type GivenRights = { [Name in keyof Rights]?: Rights[Name] | undefined }
type Rights = Required<UserValues> & { role: UserRole }

/** Null for somebody who was removed meanwhile. */
export async function findPerson(ctx: { db: Queryable }, user: string) {
  try {
    return await getPerson(ctx, user)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

export async function personFact(ctx: Context, user: string): Promise<Fact[]> {
  const found = await findPerson(ctx, user)
  return textFact('person', found ? `${found.operator.name} (${found.operator.id})` : user)
}

/** `user`: null for a new person, who has nothing that is replaced. */
export async function givenFacts(ctx: Context, user: string | null, given: GivenRights): Promise<Fact[]> {
  const found = user === null ? null : await findPerson(ctx, user)
  const isNew = found === null
  const { role, email, merchantId, refundLimits, refundLimitsDay } = { ...found?.operator, ...found?.user }
  const facts: Fact[] = []
  if ('role' in given) facts.push(...textPair('role', role, given.role))
  if ('merchantId' in given) {
    const before = await shopShown(ctx, merchantId ?? null)
    const after = given.merchantId === undefined ? before : await shopShown(ctx, given.merchantId)
    facts.push({ name: 'shop', after, ...(!isNew && isOther(before, after) && { before }) })
  }
  if ('refundLimits' in given) {
    const old = refundLimits ?? null
    const after = given.refundLimits === undefined ? old : given.refundLimits
    facts.push(...limitFacts('refundLimit', isNew ? after : old, after))
  }
  if ('refundLimitsDay' in given) {
    const old = refundLimitsDay ?? null
    const after = given.refundLimitsDay === undefined ? old : given.refundLimitsDay
    facts.push(...limitFacts('refundLimitDay', isNew ? after : old, after))
  }
  if ('email' in given) facts.push(...textPair('email', email, given.email))
  return facts
}

const isOther = (one: Shown, other: Shown) => JSON.stringify(one) !== JSON.stringify(other)

function textPair(name: 'role' | 'email', before: string | undefined, given: string | undefined): Fact[] {
  const after = given ?? before
  return after === before || before === undefined ? textFact(name, after) : textFact(name, after, before)
}

/** A fact for each currency that either side names. */
export function limitFacts(
  name: 'refundLimit' | 'refundLimitDay',
  before: RefundLimits | null,
  after: RefundLimits | null,
): Fact[] {
  const currencies = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (currencies.length === 0) return [factOf(name, shownLimit(before, ''), shownLimit(after, ''))]
  return currencies.map((currency) => ({
    ...factOf(name, shownLimit(before, currency), shownLimit(after, currency)),
    of: currency,
  }))
}

const factOf = (name: FactName, before: Shown, after: Shown): Fact => ({
  name,
  after,
  ...(isOther(before, after) && { before }),
})

/** No list at all is no limit. In a list, a currency that is missing may not be refunded. */
function shownLimit(limits: RefundLimits | null, currency: string): Shown {
  if (limits === null) return { word: 'noLimit' }
  const amountMinor = limits[currency]
  return amountMinor === undefined ? { word: 'none' } : { amountMinor, currency: currency as CurrencyCode }
}
