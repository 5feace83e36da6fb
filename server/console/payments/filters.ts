/** What the list of payments is cut to. It stands in the address of the page, and nowhere else. */
import { may } from '../../acts/policy.ts'
import { PROVIDER_ROUTES } from '../../contract/fields.ts'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { type Days, takeDay } from '../../operator/finding/day.ts'
import type { PaymentListFilter } from '../../operator/finding/list.ts'
import { cutTo, type TimeCut } from '../../operator/finding/shop-days.ts'
import type { OwnVisit } from '../page.ts'
import { addressWith } from '../parts.ts'
import { readAmount } from '../typed-amount.ts'
import { type ConsoleKey, translateAny } from '../words/translate.ts'
import type { View } from '../world.ts'
import { cutOfDay, DAYS } from './days.ts'

/** Of each text. */
export const Q_CHARS_MAX = 120

/** As the address has it. */
export type Typed = {
  q?: string | undefined
  day?: string | undefined
  /** What the days are about; undefined: the creation. */
  of?: string | undefined
  status?: string | undefined
  from?: string | undefined
  until?: string | undefined
  min?: string | undefined
  max?: string | undefined
  route?: string | undefined
  warned?: string | undefined
}
/** `wanted`: without the days of the list, as a search takes it. `problem`: what nobody understands, in words. */
export type Filters = {
  typed: Typed
  wanted: Pick<
    PaymentListFilter,
    'status' | 'route' | 'isWarned' | 'fromId' | 'toId' | 'created' | 'moved' | 'minMinor' | 'maxMinor'
  >
  problem: string | undefined
}

/** Anything that is not a filter is ignored. A cashier sees today, and finds any other payment by what the buyer says. */
export function readFilters({ query, user, locale }: OwnVisit, view: View): Filters {
  const all = may(user, 'payment history')
  const oneOf = (options: readonly string[], text = '') => options.find((each) => each === text)
  const text = (name: 'from' | 'until' | 'min' | 'max') =>
    (all && query[name]?.trim().slice(0, Q_CHARS_MAX)) || undefined
  const [from, until, min, max] = [text('from'), text('until'), text('min'), text('max')]
  const q = query.q?.trim().slice(0, Q_CHARS_MAX) || undefined
  // Two ways to say the days would contradict each other, and a search looks at every day.
  const isOtherwise = q !== undefined || from !== undefined || until !== undefined
  const day = isOtherwise ? undefined : (all && oneOf(DAYS, query.day)) || 'today'
  const typed = {
    q,
    day,
    from,
    until,
    min,
    max,
    of: query.of === 'moved' && q === undefined ? 'moved' : undefined,
    status: oneOf(PAYMENT_STATUSES, query.status),
    route: all ? oneOf(PROVIDER_ROUTES, query.route) : undefined,
    warned: all && query.warned === 'yes' ? 'yes' : undefined,
  }
  const days = readDays(view, typed)
  const amounts = readAmounts(typed)
  const wrong = [days.problem, amounts.problem].filter((key) => key !== null)
  return {
    typed,
    wanted: {
      status: PAYMENT_STATUSES.find((each) => each === typed.status) ?? null,
      route: PROVIDER_ROUTES.find((each) => each === typed.route) ?? null,
      isWarned: typed.warned === 'yes',
      ...days.cut,
      minMinor: amounts.minMinor ?? null,
      maxMinor: amounts.maxMinor ?? null,
    },
    problem: wrong.length > 0 ? wrong.map((key) => translateAny(locale, key)).join(' ') : undefined,
  }
}

type ReadFilter<Values> = Values & { problem: ConsoleKey | null }

function readDays(view: View, { day, of: chosen, from, until }: Typed): ReadFilter<{ cut?: TimeCut }> {
  const of = chosen === 'moved' ? 'moved' : 'created'
  if (from === undefined && until === undefined) {
    const known = DAYS.find((each) => each === day)
    return { ...(known && { cut: cutOfDay(of, known, view) }), problem: null }
  }
  const daysIn = (zone: string) =>
    [from, until].map((text) => (text === undefined ? undefined : dayIn(text, view.ctx, zone)))
  const [first, last] = daysIn(view.timeZone)
  if (first === null || last === null) return { problem: 'filterDayWrong' }
  if (first && last && first.since > last.since) return { problem: 'filterDaysTurned' }
  const cut = cutTo(view.ctx, of, view.zones, (zone) => {
    const [one, other] = daysIn(zone)
    return { ...(one && { since: one.since }), ...(other && { until: other.until }) }
  })
  return { cut, problem: null }
}

/** Returns null for a text that is more, or other, than one day. */
export const dayOf = (text: string, { ctx, timeZone }: Pick<View, 'ctx' | 'timeZone'>): Days | null =>
  dayIn(text, ctx, timeZone)

function dayIn(text: string, { clock }: View['ctx'], zone: string): Days | null {
  const { days, rest } = takeDay(text.toLowerCase(), clock.now(), zone)
  return rest.trim() === '' ? days : null
}

function readAmounts({ min, max }: Typed): ReadFilter<Pick<PaymentListFilter, 'minMinor' | 'maxMinor'>> {
  // All currencies have two decimals.
  const [minMinor, maxMinor] = [min, max].map((text) =>
    text === undefined ? undefined : readAmount(text, 'USD'),
  )
  if (typeof minMinor === 'string' || typeof maxMinor === 'string') return { problem: 'filterAmountWrong' }
  if (minMinor !== undefined && maxMinor !== undefined && minMinor > maxMinor)
    return { problem: 'filterAmountsTurned' }
  return { minMinor: minMinor ?? null, maxMinor: maxMinor ?? null, problem: null }
}

/** The address of the list, or of its file, with these filters. */
export function addressOf(world: string, typed: Typed & { after?: string }, end = ''): string {
  return addressWith(`/${world}/payments${end}`, typed)
}
