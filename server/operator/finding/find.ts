/** Finds the payments that a person may mean, the likeliest first. */
import type { Context } from '../../context.ts'
import { oldestId } from '../../id.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import {
  listNewest,
  listSearchSources,
  type SearchRow,
  searchByAmount,
  searchByWords,
} from '../../storage/search/search.ts'
import { rowOf, UNREACHED_MS } from './rows.ts'
import { type Alternative, readSaid, type Said } from './said.ts'
import type { WordKind } from './words.ts'

export type Found = { payment: AttemptedPayment; because: (WordKind | 'id' | 'day')[] }
type Wish = { merchantId: string | null; since: Date; until: Date }

const CANDIDATES_MAX = 500
/** Payments without a row that are compared one by one: the newest. */
const WAITING_MAX = 1_000
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
const EARLIEST = new Date(0)
const LATEST = new Date('9999-01-01T00:00:00Z')

/** `text`: what a person says, in any order. `zone`: the time zone of the days in it. What it does not understand, it leaves out. */
export async function findPayments(
  ctx: Context,
  text: string,
  { merchantId = null, zone, limit }: { merchantId?: string | null; zone: string; limit: number },
): Promise<Found[]> {
  const said = readSaid(text, { now: ctx.clock.now(), zone })
  const { since = EARLIEST, until = LATEST } = said.days ?? {}
  const rows = await listCandidates(ctx, said, { merchantId, since, until })
  const isOnlyDay = said.days !== null && said.groups.length === 0
  const ranked = rows
    .map((row) => ({ row, ...score(said, row.words) }))
    .filter(({ points }) => points > 0 || isOnlyDay)
    .sort((a, b) => b.points - a.points || (a.row.paymentId < b.row.paymentId ? 1 : -1))
  const ids = new Map<string, Found['because']>(said.ids.map((id) => [id, ['id']]))
  for (const { row, because } of ranked) {
    if (ids.size >= limit) break
    if (!ids.has(row.paymentId)) ids.set(row.paymentId, said.days ? [...because, 'day'] : because)
  }
  const found = await Promise.all(
    [...ids].map(async ([id, because]) => ({ payment: await findPaymentById(ctx.db, id), because })),
  )
  return found.filter((each): each is Found => isOf(each.payment, merchantId))
}

const CUSTOMER: readonly WordKind[] = ['e-mail', 'domain', 'name', 'telephone']

/** Returns the payments of a customer who is known by a part of the e-mail address, of the name or of the telephone number. */
export async function findOfCustomer(
  ctx: Context,
  text: string,
  merchantId: string | null,
): Promise<string[]> {
  const { groups } = readSaid(text, { now: ctx.clock.now(), zone: 'UTC' })
  const about = groups.map((group) => group.filter(({ kind }) => CUSTOMER.includes(kind)))
  const said = { ids: [], days: null, groups: about.filter(({ length }) => length > 0), whole: [] }
  const rows = await listCandidates(ctx, said, { merchantId, since: EARLIEST, until: LATEST })
  return rows.filter(({ words }) => score(said, words).points > 0).map(({ paymentId }) => paymentId)
}

const isOf = (payment: AttemptedPayment | null, merchantId: string | null) =>
  payment !== null && (merchantId === null || payment.merchantId === merchantId)

async function listCandidates(ctx: Context, said: Said, wish: Wish): Promise<SearchRow[]> {
  const { merchantId, since, until } = wish
  const waiting = (await listWaiting(ctx)).filter(
    ({ merchantId: whose, createdAt }) =>
      (merchantId === null || whose === merchantId) && createdAt >= since && createdAt < until,
  )
  return [...waiting, ...(await listRows(ctx, said, { ...wish, limit: CANDIDATES_MAX }))]
}

async function listRows(ctx: Context, said: Said, filter: Wish & { limit: number }): Promise<SearchRow[]> {
  const fromId = filter.since === EARLIEST ? '' : oldestId(ctx.world, 'pay', filter.since)
  const toId = oldestId(ctx.world, 'pay', filter.until === LATEST ? END_OF_IDS : filter.until)
  const amountMinor = onlyAmount(said)
  if (amountMinor !== undefined) return searchByAmount(ctx.db, { ...filter, amountMinor, fromId, toId })
  const strict = [allOf(said.groups, ' & '), anyOf(said.whole)].filter((each) => each !== null).join(' | ')
  if (strict === '') return []
  const rows = await searchByWords(ctx.db, strict, filter)
  if (rows.length > 0 || said.groups.length < 2) return rows
  // Somebody may remember one of the things wrongly.
  return searchByWords(ctx.db, allOf(said.groups, ' | ') ?? '', filter)
}

/** The last moment that the time of an id can tell. */
const END_OF_IDS = new Date(2 ** 46)

/** Payments of the last hour that have no row yet, or an older one. */
async function listWaiting(ctx: Context): Promise<SearchRow[]> {
  const from = oldestId(ctx.world, 'pay', new Date(ctx.clock.now().getTime() - UNREACHED_MS))
  const waiting = await listNewest(ctx.db, from, WAITING_MAX)
  return (await listSearchSources(ctx.db, waiting, { all: false })).map(rowOf)
}

/** Returns the sum if a day and a sum, or nothing but a sum, was said; null for a day alone. Other queries have words. */
function onlyAmount({ days, groups: [group, ...more] }: Said): number | null | undefined {
  if (!group) return days ? null : undefined
  const [only, ...others] = group
  if (more.length > 0 || others.length > 0 || only?.kind !== 'amount') return undefined
  return Number(only.text.slice(2))
}

const quoted = ({ text, exact }: Alternative) => `'${text.replaceAll(/['\\]/g, '')}'${exact ? '' : ':*'}`
const anyOf = (words: Alternative[]) => (words.length > 0 ? `(${words.map(quoted).join(' | ')})` : null)
const allOf = (groups: Alternative[][], how: string) =>
  groups.length > 0 ? `(${groups.map(anyOf).join(how)})` : null

function score(said: Said, words: string[]): { points: number; because: WordKind[] } {
  const hits = said.groups.map((group) => bestOf(group, words))
  const whole = bestOf(said.whole, words)
  const points = Math.max(
    hits.reduce((sum, hit) => sum + (hit?.points ?? 0), 0),
    // All that was said is one number, so this says more than its parts.
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
