/** A bank transfer that the buyer makes: where the money goes, what the buyer writes, and until when the order is kept. */
import { shortNumber } from '../../id.ts'
import type { Transfer } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'

const DAY_MS = 86_400_000

/** `reference`: what the buyer writes, so that the shop can tell which payment the money is for. */
export type AskedTransfer = Pick<Transfer, 'account'> & {
  reference: string
  keptUntil: Date
  /** Null: the buyer is not reminded. */
  remindAt: Date | null
}

type Ordered = Pick<AttemptedPayment, 'id' | 'createdAt' | 'expiresAt'> & {
  attempt: Pick<AttemptedPayment['attempt'], 'begunAt'>
}

/** Returns null if the account's payments are not paid by a transfer of the buyer. */
export function transferOf(
  { driver, settings }: Pick<Account, 'driver' | 'settings'>,
  { id, createdAt, expiresAt, attempt: { begunAt } }: Ordered,
): AskedTransfer | null {
  const transfer = driver.transfer?.(settings)
  if (!transfer) return null
  const { account, keptDays, remindDays } = transfer
  // A buyer who chooses this way on our page gets as many days as one whose payment began with it.
  const chosenUntil = begunAt > createdAt ? begunAt.getTime() + keptDays * DAY_MS : 0
  const keptUntil = new Date(Math.max(expiresAt.getTime(), chosenUntil))
  const remindAt = new Date(keptUntil.getTime() - remindDays * DAY_MS)
  const isReminded = account !== null && remindDays > 0 && remindAt > begunAt
  return { account, reference: shortNumber(id), keptUntil, remindAt: isReminded ? remindAt : null }
}

/** Returns when a new payment of the account ends, in seconds; null if the account has no rule of its own. */
export function keptSecondsOf({ driver, settings }: Pick<Account, 'driver' | 'settings'>): number | null {
  const transfer = driver.transfer?.(settings)
  return transfer ? (transfer.keptDays * DAY_MS) / 1000 : null
}
