/** What was done, by whom, and from where. */
import type { Context } from '../context.ts'
import { type AuditPageFilter, type AuditRecord, listAudit, listAuditPage } from '../storage/audit/log.ts'

type Values = Record<string, unknown> | null

export type AuditView = {
  number: number
  /** In UTC, to the microsecond. It is real time, in the sandbox too. */
  at: string
  /** The same for all rows of one command. Null for the service. */
  act: string | null
  who: string
  operatorId: string | null
  from: string
  what: string
  world: string | null
  merchantId: string | null
  about: string
  /** Null where a thing was made or removed, and where the row is about the act itself. */
  before: Values
  after: Values
}

/** Returns the values that a row changed, with both sides as text. `none`: what stands where there was no value. */
export function changesIn(
  { before, after }: Pick<AuditView, 'before' | 'after'>,
  none: string,
): (readonly [name: string, before: string, after: string])[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const text = (value: unknown) => (value === undefined || value === null ? none : JSON.stringify(value))
  return [...names].map((name) => [name, text(before?.[name]), text(after?.[name])] as const)
}

/** Returns the newest rows that fit, in their order. */
export async function listActs(
  ctx: Context,
  {
    since,
    who,
    merchantId,
    paymentId,
    limit,
  }: {
    since?: Date | undefined
    who?: string | undefined
    merchantId?: string | undefined
    paymentId?: string | undefined
    limit: number
  },
): Promise<AuditView[]> {
  const filter = {
    since: since ?? null,
    who: who ?? null,
    merchantId: merchantId ?? null,
    paymentId: paymentId ?? null,
  }
  return (await listAudit(ctx.db, { ...filter, limit })).map(viewOf)
}

/** Returns a page of the log, the newest rows first. `next`: the `before` of the next page; null at the end. */
export async function listActPage(
  ctx: Context,
  filter: AuditPageFilter,
): Promise<{ rows: AuditView[]; next: number | null }> {
  const { rows, next } = await listAuditPage(ctx.db, filter)
  return { rows: rows.map(viewOf), next }
}

function viewOf(record: AuditRecord): AuditView {
  const { seq: number, at, act, who, operatorId, origin: from, what, world, merchantId, about } = record
  const [before, after] = [record.before, record.after].map((text) =>
    text === null ? null : JSON.parse(text),
  )
  return { number, at, act, who, operatorId, from, what, world, merchantId, about, before, after }
}
