/**
 * Writes the search rows, in batches and behind the changes. What has changed is read from the events by their ids, because each
 * change that concerns a person leaves one. A payment that no buyer has reached has none, so it is read by its own id an hour later.
 */
import type { Context } from '../../context.ts'
import { oldestId } from '../../id.ts'
import { inTransaction, type Queryable, type Tx } from '../../storage/db.ts'
import type { NamedPayment } from '../../storage/payments/payment.ts'
import {
  advanceSearchPosition,
  claimSearchPosition,
  deleteSearchRows,
  listSearchSources,
  listToSearch,
  lockSearchPositions,
  type PositionName,
  type SearchRow,
  type SearchSource,
  writeSearchRows,
} from '../../storage/search/search.ts'
import { wordsOf } from './words.ts'

const BATCH = 500
const BATCHES_MAX = 20
/** A transaction may commit after one that has a later id. Statements end after 15 seconds. */
const LATE_MS = 120_000
export const UNREACHED_MS = 3_600_000

/** What each position reads, and how far behind the present it stays. */
const READS = {
  fresh: { by: 'events', prefix: 'evt', behindMs: 0 },
  late: { by: 'events', prefix: 'evt', behindMs: LATE_MS },
  payments: { by: 'payments', prefix: 'pay', behindMs: UNREACHED_MS },
} as const satisfies Record<
  PositionName,
  { by: 'events' | 'payments'; prefix: 'evt' | 'pay'; behindMs: number }
>

/** Does what is due. Returns how many payments were looked at. */
export async function writeDueRows(ctx: Context, stop?: AbortSignal): Promise<number> {
  let seen = 0
  for (const name of Object.keys(READS) as PositionName[])
    for (let batch = 0; batch < BATCHES_MAX && !stop?.aborted; batch++) {
      const count = await writeBatch(ctx, name)
      seen += count
      if (count < BATCH) break
    }
  return seen
}

async function writeBatch(ctx: Context, name: PositionName): Promise<number> {
  const { by, prefix, behindMs } = READS[name]
  // An id of this very millisecond is read too.
  const at = new Date(ctx.clock.now().getTime() + 1 - behindMs)
  return inTransaction(ctx.db, async (tx) => {
    const after = await claimSearchPosition(tx, name)
    if (after === null) return 0
    const found = await listToSearch(tx, by, { after, before: oldestId(ctx.world, prefix, at), limit: BATCH })
    const last = found.at(-1)
    if (!last) return 0
    await writeRowsOf(tx, found, { all: false })
    await advanceSearchPosition(tx, name, last.position)
    return found.length
  })
}

/** Makes every row anew, in batches. `onProgress`: gets the number of payments after each batch. Returns it at the end. */
export async function writeAllRows(
  ctx: Context,
  onProgress: (count: number) => void = () => {},
): Promise<number> {
  const before = oldestId(ctx.world, 'pay', new Date(ctx.clock.now().getTime() + 1))
  let count = 0
  for (let after = ''; ; ) {
    const found = await listToSearch(ctx.db, 'payments', { after, before, limit: BATCH })
    const last = found.at(-1)
    if (!last) return count
    await writeRowsOf(ctx.db, found, { all: true })
    after = last.position
    count += found.length
    onProgress(count)
  }
}

/**
 * Makes the rows of these payments anew, those that there are. A process that read a payment before its change has written its row by then,
 * because that happens under the lock of a position.
 */
export async function renewRows(tx: Tx, payments: NamedPayment[]): Promise<void> {
  if (payments.length === 0) return
  await lockSearchPositions(tx)
  const dropped = await deleteSearchRows(
    tx,
    payments.map(({ id }) => id),
  )
  await writeRowsOf(tx, dropped, { all: true })
}

async function writeRowsOf(db: Queryable, found: NamedPayment[], { all }: { all: boolean }): Promise<void> {
  // One payment may have several events in a batch.
  const payments = [...new Map(found.map(({ merchantId, id }) => [id, { merchantId, id }])).values()]
  await writeSearchRows(db, (await listSearchSources(db, payments, { all })).map(rowOf))
}

export function rowOf(source: SearchSource): SearchRow {
  const { merchantId, paymentId, version, amountMinor, capturedMinor, createdAt } = source
  const { email = null, phone = null, name = null } = source.customer ?? {}
  const texts = source.attempts.flatMap((attempt) => textsOf(attempt.facts))
  const words = wordsOf({
    paymentId,
    amountMinor,
    capturedMinor,
    email,
    phone,
    name,
    merchantOrderId: source.merchantOrderId,
    lastFours: texts.flatMap(([field, text]) => (field === 'last4' ? [text] : [])),
    references: [
      ...source.attempts.map(({ reference }) => reference),
      ...texts.flatMap(([field, text]) => (REFERENCES.has(field) ? [text] : [])),
      ...source.providerIds,
      ...source.details.map((detail) => detail.replace(/^bank reference /, '')),
    ],
  })
  return { merchantId, paymentId, version, amountMinor, createdAt, words }
}

/** The fields of a provider's answer with numbers that a bank or a buyer may read out. */
const REFERENCES = new Set(['providerTransactionId', 'rrn', 'approvalCode'])

/** Every text in a JSON value, with the name of its field. */
function textsOf(value: unknown, field = ''): [field: string, text: string][] {
  if (typeof value === 'string') return [[field, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, name))
}
