/** What was done, by whom, and from where. */
import { type Context, systemClock } from '../context.ts'
import { listAudit } from '../storage/audit/log.ts'

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

/** Returns the newest rows that fit, in their order. */
export async function listActs(
  ctx: Context,
  {
    since,
    who,
    merchantId,
    limit,
  }: {
    since: ((now: Date) => Date) | undefined
    who: string | undefined
    merchantId: string | undefined
    limit: number
  },
): Promise<AuditView[]> {
  const filter = {
    since: since?.(systemClock.now()) ?? null,
    who: who ?? null,
    merchantId: merchantId ?? null,
  }
  const rows = await listAudit(ctx.db, { ...filter, limit })
  return rows.map(({ seq: number, origin: from, before, after, previous: _p, digest: _d, ...row }) => ({
    ...{ number, from, ...row },
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }))
}
