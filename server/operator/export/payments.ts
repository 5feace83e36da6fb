/**
 * Payments as lines of a table, page by page: one line for what was asked and taken, and one for each movement back, with a minus.
 * So the column `amount` adds up to what the merchant has kept.
 */
import type { Context } from '../../context.ts'
import { idEnd } from '../../id.ts'
import { textOf } from '../../orders/buyer.ts'
import { decimalAmount } from '../../payments/money.ts'
import { type EntryKind, type EntryRecord, listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { lookFor, type Page, type Wanted } from '../finding/list.ts'
import { csvLines } from './csv.ts'

const PAGE = 200

export const EXPORT_COLUMNS = [
  'kind',
  'time',
  'zone',
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

/** What went back, and what came back of that. */
const BACK: Partial<Record<EntryKind, { kind: string; sign: 1 | -1 }>> = {
  refunded: { kind: 'refund', sign: -1 },
  refund_failed: { kind: 'refund failed', sign: 1 },
  dispute_lost: { kind: 'dispute lost', sign: -1 },
  dispute_regained: { kind: 'dispute regained', sign: 1 },
}

/** Yields the lines of one page after the other, the newest payments first. `zone`: of the times. */
export async function* exportPayments(
  ctx: Context,
  wanted: Omit<Wanted, 'limit' | 'after'>,
  zone: string,
): AsyncGenerator<ExportLine[]> {
  for (let after: string | null = null; ; ) {
    const { payments, next }: Page = await lookFor(ctx, { ...wanted, after, limit: PAGE })
    const pages = await Promise.all(
      payments.map(async (payment) => linesOf(payment, await listEntries(ctx.db, payment), zone)),
    )
    if (pages.length > 0) yield pages.flat()
    if (next === null) return
    after = next
  }
}

const HEADER = Object.fromEntries(EXPORT_COLUMNS.map((name) => [name, name])) as ExportLine
const NUMBERS = ['asked', 'amount'] as const

/** Yields the file part by part: its text, and how many lines it has below the header. */
export async function* exportFile(
  ctx: Context,
  wanted: Omit<Wanted, 'limit' | 'after'>,
  zone: string,
): AsyncGenerator<{ text: string; lines: number }> {
  // The mark tells spreadsheets that the file is UTF-8.
  yield { text: `\ufeff${csvLines([HEADER], EXPORT_COLUMNS, [])}`, lines: 0 }
  for await (const page of exportPayments(ctx, wanted, zone))
    yield { text: csvLines(page, EXPORT_COLUMNS, NUMBERS), lines: page.length }
}

function linesOf(payment: AttemptedPayment, entries: EntryRecord[], zone: string): ExportLine[] {
  const { currency, capturedMinor, createdAt, ownAttempt, attempt } = payment
  const lineOf = (kind: string, at: Date, minor: number, reference: string): ExportLine => ({
    ...aboutOf(payment),
    ...{ kind, zone, reference, time: timeIn(zone, at), amount: decimalAmount(minor, currency) },
  })
  const back = entries.flatMap((entry) => {
    const row = entry.attempt === ownAttempt && BACK[entry.kind]
    if (!row) return []
    const { movedAt, createdAt, providerId, amountMinor } = entry
    return [lineOf(row.kind, movedAt ?? createdAt, row.sign * amountMinor, providerId ?? '')]
  })
  return [lineOf('payment', createdAt, capturedMinor, attempt.reference), ...back]
}

function aboutOf(
  payment: AttemptedPayment,
): Omit<ExportLine, 'kind' | 'time' | 'zone' | 'amount' | 'reference'> {
  const { id, merchantId, merchantOrderId, status, amountMinor, currency, attempt } = payment
  const { customer, metadata } = payment
  return {
    order: merchantOrderId,
    'short number': idEnd(id).toUpperCase(),
    payment: id,
    merchant: merchantId,
    status,
    asked: decimalAmount(amountMinor, currency),
    currency,
    route: attempt.provider,
    account: attempt.accountId,
    email: customer?.email ?? '',
    telephone: customer?.phone ?? '',
    name: customer?.name ?? '',
    description: payment.description ?? '',
    quantity: textOf(metadata?.quantity),
    address: textOf(metadata?.address),
    note: textOf(metadata?.note),
  }
}

/** Such as `2026-08-02 14:03:07`. */
function timeIn(zone: string, at: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
    at,
  )
}
