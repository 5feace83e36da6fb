/**
 * The money of a saving. Some providers save a method only by a real payment. All of it goes back, whatever became of the saving.
 * Rule: what the provider reports about the money is stored in the transaction that asks for its return. The return is an operation of the
 * service itself, with a key that follows from the saving.
 */
import { lateMoneyMs } from '../../accounts/callbacks-seen.ts'
import { recallAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { referenceOf } from '../../id.ts'
import type { SavingMoney, TokenLookUp } from '../../providers/driver.ts'
import type { Tx } from '../../storage/db.ts'
import { findOperationByKey, type OperationRecord } from '../../storage/payments/operations.ts'
import {
  lockSavedMethod,
  type SavedMethodRecord,
  type SavingRecord,
} from '../../storage/saved-methods/saved-methods.ts'
import { endSavingWatch, noteSavingMoney } from '../../storage/saved-methods/saving-money.ts'
import { fingerprint } from '../idempotency.ts'
import { isEnded } from '../operation.ts'
import { requestByService } from '../operation-request.ts'

/** For so long after its page has ended a provider may leave a saving undecided. Then a person looks if it never told. */
const UNDECIDED_MAX_MS = 30 * 24 * 3_600_000
/** The first return is carried out. If money is there again after it, a person decides about the second one. */
const RETURNS = [1, 2] as const

/** Returns how much of the money is still to be given back. */
export function leftOf({
  heldMinor,
  takenMinor,
  returnedMinor,
}: Pick<SavingMoney, 'heldMinor' | 'takenMinor' | 'returnedMinor'>): number {
  return heldMinor + Math.max(0, takenMinor - returnedMinor)
}

/**
 * Stores what the answer says about the money of a saving that takes money. Once the method is decided, asks for the return of what is
 * left and for the removal of a card that nobody can charge, or ends the questions if no money can come any more. Returns the method as
 * it is then stored.
 */
export async function takeSavingMoneyIn(
  ctx: Context,
  tx: Tx,
  at: Pick<SavedMethodRecord, 'merchantId' | 'id'>,
  answer: TokenLookUp,
): Promise<SavedMethodRecord> {
  const method = await lockSavedMethod(tx, at)
  if (!method?.saving) throw new Error(`Bug! The saving of ${at.id} takes no money.`)
  const reported = answer.kind === 'found' ? answer.money : undefined
  const saving = reported ? await noteSavingMoney(tx, method, reported) : method.saving
  // Giving the money back could end a saving that is under way.
  if (method.status === 'pending') return method
  await removeKeptCardIn(ctx, tx, method, answer)
  const leftMinor = leftOf(saving)
  const back = { ...saving, currency: reported?.currency ?? saving.currency }
  if (leftMinor > 0) return requestReturnIn(ctx, tx, method, { ...back, amountMinor: leftMinor })
  const lateMs = ctx.clock.now().getTime() - method.expiresAt.getTime()
  const isLate = lateMs >= lateMoneyMs(ctx, recallAccount(ctx, method.accountId))
  const isLongUndecided = isLate && lateMs >= UNDECIDED_MAX_MS
  if (answer.kind === 'unavailable') return isLongUndecided ? requestReturnIn(ctx, tx, method, back) : method
  // A provider that has never shown the payment may do so later, such as after people there have changed it.
  const isDecided = answer.kind === 'not_found' || answer.status !== 'pending'
  const isSettled = isDecided && (saving.reference !== null || isLate)
  return isSettled || isLongUndecided ? endSavingWatch(tx, method) : method
}

/** From now on the operation asks the provider, and not the method. */
async function requestReturnIn(
  ctx: Context,
  tx: Tx,
  method: SavedMethodRecord,
  { amountMinor, currency, takenMinor, returnedMinor }: SavingRecord,
): Promise<SavedMethodRecord> {
  const { id: tokenId, provider, accountId } = method
  const type = takenMinor > returnedMinor ? 'refund' : 'void'
  for (const number of RETURNS) {
    const key = keyOf(method, number)
    const known = await findOperationByKey(tx, key)
    if (known && isEnded(known.status)) continue
    const about = { type, tokenId, attempt: 1, provider, accountId, amountMinor, currency } as const
    const draft = { ...about, reason: 'the payment by which a payment method was saved' }
    if (!known) await requestByService(ctx, tx, { ...key, fingerprint: fingerprint({}) }, draft)
    return endSavingWatch(tx, method)
  }
  ctx.log.warn({ tokenId, accountId, amountMinor }, 'money of a saving is there after two returns')
  return endSavingWatch(tx, method)
}

/**
 * The key follows from the merchant's request, so that it is the same after a restore. The reference at the provider would not
 * do, because it is unique in its account only.
 */
function keyOf({ merchantId, id }: SavedMethodRecord, number: number) {
  return { merchantId, scope: `return of saving ${referenceOf(id)}`, key: String(number) }
}

/** Whether an earlier return of the same saving was carried out already, so that a person looks at this one. */
export function isLaterReturn({ key }: Pick<OperationRecord, 'key'>): boolean {
  return key !== '1'
}

/**
 * Asks for the removal of a card that the provider keeps although its saving has ended: its payment came late, or its merchant has
 * revoked it meanwhile. Nobody can charge that card. It is asked once for each saving, and does no harm beside the merchant's own request.
 */
async function removeKeptCardIn(
  ctx: Context,
  tx: Tx,
  { status, merchantId, id: tokenId, provider, accountId }: SavedMethodRecord,
  answer: TokenLookUp,
): Promise<void> {
  if (status === 'pending' || status === 'active' || !mayKeepCard(answer)) return
  const scope = `removal of saving ${referenceOf(tokenId)}`
  const claim = { merchantId, scope, key: '1', fingerprint: fingerprint({}) }
  const reason = 'the provider has kept a card of a saving that has ended'
  await requestByService(ctx, tx, claim, { type: 'token_revoke', tokenId, provider, accountId, reason })
}

/** A provider may show the card a little later than the money of its saving. */
function mayKeepCard(answer: TokenLookUp): boolean {
  if (answer.kind !== 'found') return false
  return answer.status === 'active' || (answer.status === 'pending' && answer.money !== undefined)
}
