/**
 * The proofs whose money the provider may keep, because they were stored, or may have been. While the database is away nobody can read
 * that, and a repeated proof that is answered as one that is not stored would give the money back.
 * Limit: a process remembers only what it has stored itself, and forgets the oldest when there are many.
 */
import type { Context } from '../../context.ts'
import type { OrderEvent } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'

const KEPT_MAX = 10_000
/** For each world. */
const kept = new WeakMap<Context['db'], Set<string>>()

const nameOf = (accountId: string, reference: string, transactionId: string | null) =>
  JSON.stringify([accountId, reference, transactionId])

export function rememberKept(
  { db }: Pick<Context, 'db'>,
  account: Pick<Account, 'id'>,
  { reference }: { reference: string },
  transactionId: string | null,
): void {
  const all = kept.get(db) ?? new Set<string>()
  kept.set(db, all)
  all.add(nameOf(account.id, reference, transactionId))
  const [oldest] = all
  if (all.size > KEPT_MAX && oldest !== undefined) all.delete(oldest)
}

/** Whether the provider may keep the money of this proof, as far as this process knows. */
export function mayBeKept(
  { db }: Pick<Context, 'db'>,
  account: Pick<Account, 'id'>,
  event: OrderEvent,
): boolean {
  if (event.kind !== 'proof') return false
  const { reference, snapshot } = event
  return kept.get(db)?.has(nameOf(account.id, reference, snapshot.providerTransactionId ?? null)) ?? false
}
