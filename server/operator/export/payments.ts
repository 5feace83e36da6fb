/**
 * Payments as lines of a table, page by page. Each movement of money has a line of its own, with a minus for what went back, so the
 * column `amount` adds up to what the shops have kept. By the time of the money there is nothing else, and the lines of a day add up to
 * the totals of that day. By the time of creation, payments of which nothing was taken have a line too.
 */
import type { Context } from '../../context.ts'
import { idEnd } from '../../id.ts'
import { zoneOf } from '../../merchants/branding.ts'
import { momentIn } from '../../merchants/moment.ts'
import { textOf } from '../../orders/buyer.ts'
import { decimalAmount } from '../../payments/money.ts'
import {
  KEPT,
  listMovementsOfPayments,
  type MovementRecord,
  movementsOf,
  type TimeRange,
} from '../../reports/money-days.ts'
import { listMerchants } from '../../storage/merchants/merchants.ts'
import type { EntryKind } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { scanPayments } from '../../storage/search/list.ts'
import { lookFor, type Page, type PaymentListFilter } from '../finding/list.ts'
import { csvLines } from './csv.ts'

const PAGE = 200

export const EXPORT_COLUMNS = [
  'kind',
  'time',
  'zone',
  'booked',
  'order',
  'short number',
  'payment',
  'merchant',
  'status',
  'asked',
  'amount',
  'currency',
  'route',
  'account',
  'reference',
  'email',
  'telephone',
  'name',
  'description',
  'quantity',
  'address',
  'note',
] as const
export type ExportLine = Record<(typeof EXPORT_COLUMNS)[number], string>

const KINDS: Partial<Record<EntryKind, string>> = {
  taken: 'payment',
  taken_back: 'payment taken back',
  refunded: 'refund',
  refund_failed: 'refund failed',
  dispute_lost: 'dispute lost',
  dispute_regained: 'dispute regained',
}

/**
 * `zone`: of the times and days; null for each shop's own. `movedIn`: only money that moved in this time. Without it the payments are
 * chosen by their creation.
 */
export type ExportRequest = Omit<PaymentListFilter, 'limit' | 'after' | 'moved'> & {
  zone: string | null
  movedIn?: ((zone: string) => TimeRange) | undefined
}

/** Yields the lines of one page after the other. */
export async function* exportPayments(ctx: Context, wish: ExportRequest): AsyncGenerator<ExportLine[]> {
  const { zone, movedIn, ...wanted } = wish
  const zones = new Map<string, string>()
  const zoneFor = async (merchantId: string): Promise<string> => {
    const known = zone ?? zones.get(merchantId)
    if (known !== undefined) return known
    const own = await zoneOf(ctx, merchantId)
    zones.set(merchantId, own)
    return own
  }
  // A search for a customer leads to payments, and not through all of the money.
  const pages = movedIn && typeof wanted.customer !== 'string' ? pagesOfMoney : pagesOfPayments
  for await (const page of pages(ctx, wanted, { zoneFor, movedIn })) if (page.length > 0) yield page
}

type Wide = Omit<ExportRequest, 'zone' | 'movedIn'>
type Zoned = { zoneFor(merchantId: string): Promise<string>; movedIn: ExportRequest['movedIn'] }

/** The payments of the filter, the newest first, each with its movements. */
async function* pagesOfPayments(
  ctx: Context,
  wanted: Wide,
  { zoneFor, movedIn }: Zoned,
): AsyncGenerator<ExportLine[]> {
  for (let after: string | null = null; ; ) {
    const { payments, next }: Page = await lookFor(ctx, { ...wanted, after, limit: PAGE })
    const merchantIds = [...new Set(payments.map(({ merchantId }) => merchantId))]
    const ids = payments.map(({ id }) => id)
    const all = Map.groupBy(await listMovementsOfPayments(ctx.db, merchantIds, ids), (each) => each.paymentId)
    const lines: ExportLine[] = []
    for (const payment of payments) {
      const zone = await zoneFor(payment.merchantId)
      const range = movedIn?.(zone)
      const moved = (all.get(payment.id) ?? []).filter(
        ({ kind, moment }) => KEPT[kind] && (!range || (moment >= range.since && moment < range.until)),
      )
      if (!range && !moved.some(({ kind }) => kind === 'taken')) lines.push(lineOfUnpaid(payment, zone))
      lines.push(...moved.map((each) => lineOfMovement(payment, each, zone)))
    }
    yield lines
    if (next === null) return
    after = next
  }
}

/** The movements of each shop in its time, the first one first. */
async function* pagesOfMoney(
  ctx: Context,
  wanted: Wide,
  { zoneFor, movedIn }: Zoned,
): AsyncGenerator<ExportLine[]> {
  const merchantIds = wanted.merchantId
    ? [wanted.merchantId]
    : (await listMerchants(ctx.db)).map(({ id }) => id)
  for (const merchantId of merchantIds) {
    const zone = await zoneFor(merchantId)
    const range = movedIn?.(zone)
    if (!range) continue
    for await (const moved of movementsOf(ctx, { merchantId, ...range })) {
      const ids = [...new Set(moved.map(({ paymentId }) => paymentId))]
      const { payments } = await scanPayments(ctx.db, { ...wanted, merchantId, ids, limit: ids.length })
      const known = new Map(payments.map((each) => [each.id, each]))
      yield moved.flatMap((each) => {
        const payment = known.get(each.paymentId)
        return payment ? [lineOfMovement(payment, each, zone)] : []
      })
    }
  }
}

const HEADER = Object.fromEntries(EXPORT_COLUMNS.map((name) => [name, name])) as ExportLine
const NUMBERS = ['asked', 'amount'] as const

/** Yields the file part by part: its text, and how many lines it has below the header. */
export async function* exportFile(
  ctx: Context,
  wish: ExportRequest,
): AsyncGenerator<{ text: string; lines: number }> {
  // The mark tells spreadsheets that the file is UTF-8.
  yield { text: `\ufeff${csvLines([HEADER], EXPORT_COLUMNS, [])}`, lines: 0 }
  for await (const page of exportPayments(ctx, wish))
    yield { text: csvLines(page, EXPORT_COLUMNS, NUMBERS), lines: page.length }
}

/** A payment of which nothing was taken. */
function lineOfUnpaid(payment: AttemptedPayment, zone: string): ExportLine {
  const { currency, createdAt, attempt } = payment
  return {
    ...aboutOf(payment),
    kind: 'payment',
    time: momentIn(zone, createdAt),
    zone,
    booked: '',
    amount: decimalAmount(0, currency),
    currency,
    route: attempt.provider,
    account: attempt.accountId,
    reference: attempt.reference,
  }
}

function lineOfMovement(payment: AttemptedPayment, movement: MovementRecord, zone: string): ExportLine {
  const { kind, amountMinor, currency, moment, bookedAt, provider, accountId, providerId, reference } =
    movement
  return {
    ...aboutOf(payment),
    kind: KINDS[kind] ?? kind,
    time: momentIn(zone, moment),
    zone,
    booked: bookedAt ? momentIn(zone, bookedAt).slice(0, 10) : '',
    amount: decimalAmount((KEPT[kind] ?? 0) * amountMinor, currency),
    currency,
    route: provider,
    account: accountId,
    reference: kind === 'taken' ? reference : (providerId ?? ''),
  }
}

function aboutOf(
  payment: AttemptedPayment,
): Omit<
  ExportLine,
  'kind' | 'time' | 'zone' | 'booked' | 'amount' | 'currency' | 'route' | 'account' | 'reference'
> {
  const { id, merchantId, merchantOrderId, status, amountMinor, currency, customer, metadata, quantity } =
    payment
  return {
    order: merchantOrderId,
    'short number': idEnd(id).toUpperCase(),
    payment: id,
    merchant: merchantId,
    status,
    asked: decimalAmount(amountMinor, currency),
    email: customer?.email ?? '',
    telephone: customer?.phone ?? '',
    name: customer?.name ?? '',
    description: payment.description ?? '',
    quantity: textOf(quantity ?? metadata?.quantity),
    address: textOf(metadata?.address),
    note: textOf(metadata?.note),
  }
}
