/** Finds the payments that a person may mean, the likeliest first. */
import type { Context } from '../../context.ts'
import { zoneOf } from '../../merchants/branding.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { type PaymentFilter, scanPayments } from '../../storage/search/list.ts'
import { findUnreached, type Range } from '../../storage/search/look-up.ts'
import type { SearchRow } from '../../storage/search/search.ts'
import type { CreatedRange } from '../../storage/search/zones.ts'
import { END_OF_IDS, listCandidates } from './candidates.ts'
import { fold } from './fold.ts'
import { type Alternative, type ParsedSearch, parseSearch } from './parsed-search.ts'
import { cutTo, type TimeCut, type Zones } from './shop-days.ts'
import { type WordKind, word } from './words.ts'

export type FoundPayment = { payment: AttemptedPayment; because: (WordKind | 'id' | 'day')[] }

/** How much a word says about which payment it is. */
const WEIGHTS: Record<WordKind, number> = {
  'short number': 100,
  order: 90,
  reference: 85,
  'e-mail': 80,
  telephone: 75,
  name: 50,
  'last four': 40,
  domain: 35,
  amount: 30,
}
/** A word that only begins as was said says less. */
const BEGINNING = 0.6

/** More than an order reference or an e-mail address has. */
const EXACT_CHARS_MAX = 300

/** How many of the likeliest payments are looked up to see whether they pass a filter. */
const FILTERED_MAX = 300

export type FindRequest = {
  /** Only payments of the order whose number is the whole text, whatever else it may mean. */
  isOrder?: boolean
  merchantId?: string | null
  /** The time zones of the days: the shop's own, or those of all shops. */
  zones: Zones
  limit: number
  /** What a payment must have besides. */
  filter?: FindFilter
}
export type FindFilter = Omit<PaymentFilter, 'ids' | 'limit' | 'merchantId' | 'after'>

/**
 * `text`: what a person says, in any order. What it does not understand, it leaves out. A day in it is each shop's own.
 * `isAll`: false if more payments match than were looked at, so that a likelier one may be among the others.
 */
export async function findPayments(
  ctx: Context,
  text: string,
  { isOrder = false, merchantId = null, zones, limit, filter = {} }: FindRequest,
): Promise<{ found: FoundPayment[]; isAll: boolean }> {
  const now = ctx.clock.now()
  const [zone] = zones
  const parsed = parseSearch(text, { now, zone })
  const cut = cutTo(ctx, 'created', zones, (of) => parseSearch(text, { now, zone: of }).days ?? {})
  const range = { merchantId, fromId: cut.fromId ?? '', toId: cut.toId ?? END_OF_IDS }
  // A number of an order may be a date, and belongs to a payment of any day.
  const ofOrder =
    isOrder || parsed.days
      ? await findOfOrder(ctx, text.trim().slice(0, EXACT_CHARS_MAX), { merchantId, ...EVERY_ID })
      : NOTHING
  const exact = isOrder ? [] : await findUnreached(ctx.db, exactTexts(text), range)
  const isFound = exact.length > 0
  const { rows, lookedTo } = isOrder
    ? { rows: [], lookedTo: ofOrder.lookedTo }
    : await listCandidates(ctx, parsed, range, { isFound })
  const isOnlyDay = meansOnlyDays(parsed)
  const ownDays = await inOwnDays(ctx, cut, rows)
  const ranked = rows
    .filter(ownDays)
    .map((row) => ({ row, ...score(parsed, row.words) }))
    .filter(({ points }) => points > 0 || isOnlyDay)
    .sort((a, b) => b.points - a.points || (a.row.paymentId < b.row.paymentId ? 1 : -1))
  const ids = new Map<string, FoundPayment['because']>([
    ...ofOrder.ids.map((id): [string, FoundPayment['because']] => [id, ['order']]),
    ...(isOrder ? [] : parsed.ids).map((id): [string, FoundPayment['because']] => [id, ['id']]),
    ...exact.map(({ id, by }): [string, FoundPayment['because']] => [id, [by]]),
  ])
  const isFiltered = Object.values(filter).some(
    (value) => value !== undefined && value !== null && value !== false,
  )
  const rowsMax = isFiltered ? FILTERED_MAX : limit
  for (const { row, because } of ranked) {
    if (ids.size >= rowsMax) break
    if (!ids.has(row.paymentId)) ids.set(row.paymentId, parsed.days ? [...because, 'day'] : because)
  }
  const found = isFiltered
    ? await readFiltered(ctx, [...ids.keys()], { ...filter, merchantId })
    : await Promise.all([...ids.keys()].map((id) => findPaymentById(ctx.db, id)))
  return {
    found: found
      .filter((payment) => isOf(payment, merchantId))
      .slice(0, limit)
      .map((payment) => ({ payment, because: ids.get(payment.id) ?? [] })),
    isAll: lookedTo === null && !(isFiltered && ids.size >= rowsMax),
  }
}

/** Returns whether a payment is in the days of its shop. The range of all shops is as wide as their zones are apart. */
async function inOwnDays(ctx: Context, { created }: TimeCut, rows: readonly SearchRow[]) {
  const merchantIds = created ? [...new Set(rows.map(({ merchantId }) => merchantId))] : []
  const own = new Map<string, CreatedRange>()
  for (const id of merchantIds) {
    const zone = await zoneOf(ctx, id)
    const range = created?.find((each) => each.zone === zone)
    if (range) own.set(id, range)
  }
  return ({ merchantId, paymentId }: SearchRow): boolean => {
    const { fromId = '', toId = END_OF_IDS } = own.get(merchantId) ?? {}
    return paymentId >= fromId && paymentId < toId
  }
}

/**
 * What may be a whole order reference or e-mail address: each word as it was said and without signs around it, and all together. In
 * small letters too, of which PostgreSQL knows only those of the database's locale. It makes one letter of a Turkish capital İ.
 */
function exactTexts(text: string): string[] {
  const trimmed = text.trim().slice(0, EXACT_CHARS_MAX)
  return [trimmed, trimmed.toLowerCase(), trimmed.toLowerCase().replaceAll('i\u0307', 'i')].flatMap(partsOf)
}

function partsOf(whole: string): string[] {
  const words = whole.split(/\s+/)
  const bare = words.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
  return [...new Set([whole, ...words, ...bare])].filter(({ length }) => length > 1)
}

/** Returns those of the payments that pass the filter, in the order of the ids. */
async function readFiltered(ctx: Context, ids: string[], filter: Omit<PaymentFilter, 'limit'>) {
  if (ids.length === 0) return []
  const { payments } = await scanPayments(ctx.db, { ...filter, ids, limit: ids.length })
  const byId = new Map(payments.map((payment) => [payment.id, payment]))
  return ids.map((id) => byId.get(id) ?? null)
}

const meansOnlyDays = ({ days, groups, ids }: ParsedSearch) =>
  days !== null && groups.length === 0 && ids.length === 0

/** Returns the days if the text names nothing else, so that it asks for all payments of these days; null otherwise. */
export function readOnlyDays({ clock }: Context, text: string, zone: string): ParsedSearch['days'] {
  const parsed = parseSearch(text, { now: clock.now(), zone })
  return meansOnlyDays(parsed) ? parsed.days : null
}

const CUSTOMER: readonly WordKind[] = ['e-mail', 'domain', 'name', 'telephone']
/** `lookedTo`: the last payment that was looked at. Null if there are no more. */
export type Some = { ids: string[]; lookedTo: string | null }

const EVERY_ID = { fromId: '', toId: END_OF_IDS }
const NOTHING: Some = { ids: [], lookedTo: null }

/** Returns payments of a customer who is known by a part of the e-mail address, of the name or of the telephone number. */
export async function findOfCustomer(ctx: Context, text: string, range: Range): Promise<Some> {
  const { groups } = parseSearch(text, { now: ctx.clock.now(), zone: 'UTC' })
  const about = groups.map((group) => group.filter(({ kind }) => CUSTOMER.includes(kind)))
  return findByWords(
    ctx,
    about.filter(({ length }) => length > 0),
    range,
  )
}

/** Returns payments of an order, and others whose order is written alike. */
export async function findOfOrder(ctx: Context, merchantOrderId: string, range: Range): Promise<Some> {
  const groups = [[{ kind: 'order' as const, text: word('order', fold(merchantOrderId)), exact: true }]]
  const [exact, { ids, lookedTo }] = await Promise.all([
    findUnreached(ctx.db, [merchantOrderId, merchantOrderId.toLowerCase()], range),
    findByWords(ctx, groups, range),
  ])
  return { ids: [...new Set([...exact.map(({ id }) => id), ...ids])], lookedTo }
}

async function findByWords(ctx: Context, groups: ParsedSearch['groups'], range: Range): Promise<Some> {
  const parsed = { ids: [], days: null, groups, whole: [] }
  const { rows, lookedTo } = await listCandidates(ctx, parsed, range, { isFound: false })
  const ids = rows.filter(({ words }) => score(parsed, words).points > 0).map(({ paymentId }) => paymentId)
  return { ids, lookedTo }
}

const isOf = (payment: AttemptedPayment | null, merchantId: string | null): payment is AttemptedPayment =>
  payment !== null && (merchantId === null || payment.merchantId === merchantId)

function score(parsed: ParsedSearch, words: string[]): { points: number; because: WordKind[] } {
  const hits = parsed.groups.map((group) => bestOf(group, words))
  const whole = bestOf(parsed.whole, words)
  const points = Math.max(
    hits.reduce((sum, hit) => sum + (hit?.points ?? 0), 0),
    // If the whole text is one number, a hit of the whole counts more than hits of its parts.
    (whole?.points ?? 0) * 2,
  )
  const kinds = [...hits, whole].flatMap((hit) => (hit ? [hit.kind] : []))
  return { points, because: [...new Set(kinds)] }
}

function bestOf(group: Alternative[], words: string[]): { points: number; kind: WordKind } | null {
  const hits = group.flatMap(({ text, kind, exact }) => {
    if (words.includes(text)) return [{ points: WEIGHTS[kind], kind }]
    const begins = !exact && words.some((each) => each.startsWith(text))
    return begins ? [{ points: WEIGHTS[kind] * BEGINNING, kind }] : []
  })
  return hits.sort((a, b) => b.points - a.points)[0] ?? null
}
